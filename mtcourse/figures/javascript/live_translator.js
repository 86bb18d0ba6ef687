// A translator in the page: a sentence goes in, its translation appears piece by piece, and each piece
// shows where the translator looked and what else it might have written. Another candidate can be
// chosen, and the translation goes on from there.

import { loadTranslator, newWords } from "./loaded_translator.js";
import { element, newId } from "./parts.js";
import { EOS } from "./pieces.js";
import { argmax, largest, longestTranslation, writing } from "./search.js";

const CANDIDATES = 5;
const FAINTEST = 0.04; // a weight below it draws no line
const ADDRESS = "#translate=";

const shown = (piece) => (piece === "<eos>" ? "end" : piece.replace(/^\u2581/, "")) || "space";
const begins = (piece) => piece.startsWith("\u2581");
const percent = (share) => (share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`);
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));

export function liveTranslator(el) {
  const { folder, sentence, translation } = el.dataset;
  const reads = { lang: el.dataset.reads ?? "en", dir: el.dataset.readsDirection ?? "ltr" };
  const writes = { lang: el.dataset.language, dir: el.dataset.direction ?? "ltr" };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let translator = null;
  let loading = null;
  let turn = 0; // a newer request ends an older one
  let now = { ids: [], steps: [], chosen: 0 };

  const id = newId("sentence");
  const input = element("input", { id, type: "text", value: sentence, autocomplete: "off", spellcheck: "false", ...reads, maxlength: 200 });
  const another = element("button", { type: "button", click: () => anotherSentence() }, "Another sentence");
  const form = element("form", { class: "live-form", submit: (event) => { event.preventDefault(); translate(input.value); } },
    element("label", { for: id }, el.dataset.asks), element("span", { class: "live-row" }, input, element("button", { type: "submit" }, "Translate"), another));
  const status = element("p", { class: "explorer-muted", role: "status" });
  const sources = element("p", { class: "live-source", ...reads });
  const targets = element("p", { class: "live-target", ...writes });
  const lines = element("svg", { class: "live-lines", "aria-hidden": "true" });
  const sides = element("div", { class: "live-sides", hidden: true }, sources, targets, lines);
  const news = element("p", { class: "explorer-muted" });
  const inside = element("div", { class: "live-inside", hidden: true });
  const whole = element("p", { class: "live-translation", ...writes }, translation);
  // What a screen reader says, once, when the translation stands.
  const says = element("p", { class: "explorer-unseen", "aria-live": "polite", ...writes });
  const words = element("details", { class: "live-words", toggle: () => listWords() }, element("summary", {}, "Words that it knows"));
  el.replaceChildren(form, status, whole, news, sides, inside, words, says);

  async function isReady() {
    loading ??= loadTranslator(folder, { progress: (share) => { status.textContent = `The translator is loading: ${percent(share)}`; } });
    try {
      translator ??= await loading;
    } catch (error) {
      loading = null; // so that it can be tried again
      status.textContent = `${error.message}. Try again, and look whether you are online.`;
      return false;
    }
    status.textContent = "";
    return true;
  }

  async function listWords() {
    if (!words.open || words.children.length > 1) return;
    if (!(await isReady())) return;
    const known = [...translator.known];
    words.append(element("p", { class: "live-known", tabindex: "0", role: "group", "aria-label": "Words that it knows" }, `${known.length.toLocaleString("en")} words: `, element("span", reads, known.join(", ")), "."));
  }

  async function anotherSentence() {
    if (!(await isReady())) return;
    const { examples } = translator;
    input.value = examples[Math.floor(Math.random() * examples.length)];
    translate(input.value);
  }

  // begin: ids that the translation is to begin with.
  async function translate(text, begin = []) {
    const mine = (turn += 1);
    if (!(await isReady()) || mine !== turn) return;
    const { model, source, config } = translator;
    const ids = [...source.encode(text), EOS];
    const fits = ids.length > 1 && ids.length <= config.max_length;
    if (!fits) {
      status.textContent = ids.length > 1 ? `This is longer than the ${config.max_length} pieces that the translator reads: take a shorter sentence.` : "Write a sentence first.";
      return;
    }
    now = { text, ids, steps: [], chosen: 0 };
    history.replaceState(null, "", addressOf(text, begin));
    showSource(text);
    sides.hidden = false;
    inside.hidden = true;
    targets.replaceChildren();
    const step = (piece, state) => model.step(piece, state);
    for (const one of writing(step, model.start(ids), longestTranslation(ids.length, config.max_length), argmax, begin)) {
      now.steps.push(one);
      showPiece(now.steps.length - 1);
      whole.textContent = translator.target.decode(now.steps.map((step) => step.id));
      if (still.matches) continue;
      draw(now.steps.length - 1);
      await nextFrame();
      if (mine !== turn) return;
    }
    says.textContent = whole.textContent;
    choose(Math.min(begin.length ? begin.length - 1 : 0, now.steps.length - 1));
  }

  function showSource(text) {
    const unknown = newWords(text, translator.known);
    const pieces = now.ids.map((piece) => translator.source.pieces[piece]);
    sources.replaceChildren(...pieces.map((piece) => element("span", { class: begins(piece) || piece === "<eos>" ? "live-piece" : "live-piece live-goes-on" }, shown(piece))));
    news.replaceChildren();
    if (unknown.length) {
      const words = unknown.flatMap((word, i) => [i ? ", " : "", element("mark", reads, word)]);
      news.append("New to the translator: ", ...words, ". It guesses at a new word from its letters.");
    }
  }

  function showPiece(place) {
    const piece = translator.target.pieces[now.steps[place].id];
    const share = Math.exp(now.steps[place].logProbability);
    const starts = begins(piece) || piece === "<eos>";
    targets.append(element("button", {
      type: "button", class: starts ? "live-piece" : "live-piece live-goes-on", "aria-pressed": "false",
      "aria-label": `${shown(piece)}, ${percent(share)}`, click: () => choose(place), pointerenter: () => draw(place), pointerleave: () => draw(now.chosen),
    }, shown(piece)));
  }

  function choose(place) {
    now.chosen = place;
    [...targets.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === place)));
    draw(place);
    showInside(place);
  }

  // --- where it looked --------------------------------------------------------------------------

  // The mean of the last layer's heads.
  const looked = (one) => {
    const heads = one.attention.cross.at(-1);
    return now.ids.map((_, n) => heads.reduce((sum, weights) => sum + weights[n], 0) / heads.length);
  };

  function draw(place) {
    const frame = sides.getBoundingClientRect();
    const button = targets.children[place];
    if (!button) return;
    const to = button.getBoundingClientRect();
    lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    lines.replaceChildren(...looked(now.steps[place]).flatMap((weight, n) => {
      if (weight < FAINTEST) return [];
      const from = sources.children[n].getBoundingClientRect();
      const [x1, y1] = [from.left + from.width / 2 - frame.left, from.bottom - frame.top];
      const [x2, y2] = [to.left + to.width / 2 - frame.left, to.top - frame.top];
      const middle = (y1 + y2) / 2;
      return [element("path", {
        d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`, "stroke-width": 1 + 7 * weight, "stroke-opacity": 0.25 + 0.75 * weight,
      })];
    }));
    [...sources.children].forEach((span, n) => span.style.setProperty("--weight", looked(now.steps[place])[n].toFixed(3)));
  }

  // --- what it thought --------------------------------------------------------------------------

  function showInside(place) {
    const one = now.steps[place];
    const before = now.steps.slice(0, place).map((step) => step.id);
    const written = translator.target.decode(before);
    const shares = largest(one.logProbabilities, CANDIDATES).map((piece) => [piece, Math.exp(one.logProbabilities[piece])]);
    const candidates = shares.map(([piece, share]) => {
      const name = shown(translator.target.pieces[piece]);
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", share.toFixed(3));
      const press = () => translate(now.text, [...before, piece]);
      const label = `${name}, ${percent(share)}${piece === one.id ? ", written" : ": go on with it"}`;
      return element("li", {}, element("button", { type: "button", "aria-label": label, disabled: piece === one.id, click: press },
        element("span", { class: "live-name", ...writes }, name), bar, element("span", {}, percent(share))));
    });
    const title = written ? `After “${written}” it might have written` : "It might have begun with";
    inside.replaceChildren(
      element("div", {}, element("p", { class: "explorer-label" }, title), element("ol", { class: "live-candidates" }, ...candidates),
        element("p", { class: "explorer-muted" }, "Choose another one, and the translation goes on from there.")),
      element("div", { class: "explorer-scroll", tabindex: "0", role: "group", "aria-label": "Heads" }, headsTable(one)),
    );
    inside.hidden = false;
  }

  function headsTable(one) {
    const names = now.ids.map((piece) => shown(translator.source.pieces[piece]));
    const rows = one.attention.cross.flatMap((layer, l) => layer.map((weights, h) => {
      const cells = names.map((_, n) => {
        const cell = element("td", {}, element("span", { class: "explorer-unseen" }, percent(weights[n])));
        cell.style.setProperty("--weight", weights[n].toFixed(3));
        return cell;
      });
      return element("tr", {}, element("th", { scope: "row" }, `${l + 1}.${h + 1}`), ...cells);
    }));
    const head = element("tr", {}, element("th", { scope: "col" }, "head"), ...names.map((name) => element("th", { scope: "col" }, element("span", {}, name))));
    const piece = shown(translator.target.pieces[one.id]);
    return element("table", { class: "explorer-matrix explorer-heat" }, element("caption", {}, `Where each head of cross-attention looked to write “${piece}”`),
      element("thead", {}, head), element("tbody", {}, ...rows));
  }

  new ResizeObserver(() => { if (now.steps.length && !sides.hidden) draw(now.chosen); }).observe(sides);
  const asked = ofAddress(location.hash);
  if (asked) {
    input.value = asked.text;
    translate(asked.text, asked.begin);
  }
  return { translate };
}

// The sentence, and what its translation begins with, so that a link shows the same again.
const addressOf = (text, begin) => `${ADDRESS}${encodeURIComponent(text)}${begin.length ? `&begin=${begin.join(",")}` : ""}`;

function ofAddress(hash) {
  if (!hash.startsWith(ADDRESS)) return null;
  const [text, begin = ""] = hash.slice(ADDRESS.length).split("&begin=");
  try {
    return { text: decodeURIComponent(text), begin: begin.split(",").filter((one) => /^\d+$/.test(one)).map(Number) };
  } catch {
    return null; // an address that somebody has cut
  }
}
