// Below each paragraph of a translated page: what the course's own translator makes of the English one.
// It knows the words of a small grammar, and the page of a whole language: that is what there is to see.

import { loadTranslator, problemOfText } from "./loaded_translator.js";
import { phrase } from "./messages.js";
import { element } from "./parts.js";
import { EOS } from "./pieces.js";
import { greedySearch, longestTranslation } from "./search.js";

const SENTENCE_ENDS = /(?<=[.!?:;])\s+/;

export function attemptAt({ model, source, target, config }, english) {
  return english.split(SENTENCE_ENDS).map((sentence) => {
    const ids = [...source.encode(sentence), EOS];
    if (problemOfText(sentence, () => ids.length, config.max_length)) return "…";
    const found = greedySearch((id, state) => model.step(id, state), model.start(ids), longestTranslation(ids.length, config.max_length));
    return target.decode(found.ids);
  });
}

export function showAttempts(places, folder) {
  let translator = null;
  const wanted = new Set();
  const status = element("span", { class: "attempts-status", role: "status" });
  const shown = new Map(places.map((place) => [place, element("p", { class: "attempt", lang: "nl", hidden: true })]));
  for (const [place, below] of shown) place.parentElement.after(below);

  // One paragraph after the other, and between two of them the page may draw.
  async function work() {
    for (const place of wanted) {
      wanted.delete(place);
      const below = shown.get(place);
      below.textContent = attemptAt(translator, place.dataset.english).join(" ");
      below.hidden = false;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  const seen = new IntersectionObserver((entries) => {
    const idle = wanted.size === 0;
    for (const { target, isIntersecting } of entries) {
      const place = target.querySelector("[data-english]");
      if (isIntersecting && !shown.get(place).textContent) wanted.add(place);
    }
    if (idle) work();
  }, { rootMargin: "200px" });

  async function follow() {
    const isOn = box.checked;
    for (const below of shown.values()) below.hidden = !isOn || !below.textContent;
    seen.disconnect();
    if (!isOn) return;
    try {
      translator ??= await loadTranslator(folder, { progress: (share) => { status.textContent = phrase("The translator is loading: {share}", { share: `${Math.round(100 * share)}%` }); } });
    } catch (error) {
      status.textContent = error.message;
      box.checked = false;
      return;
    }
    status.textContent = "";
    if (box.checked) for (const place of places) seen.observe(place.parentElement);
  }

  const box = element("input", { type: "checkbox", change: follow });
  return element("p", { class: "attempts" }, element("label", {}, box, " ", phrase("Show below each paragraph what the course’s own translator makes of the English text")), " ", status);
}

const script = document.currentScript;
const begin = () => {
  const places = [...document.querySelectorAll("[data-english]")];
  document.querySelector("article h1")?.after(showAttempts(places, script.dataset.folder));
};
if (script) begin();
