// How sentences fall into pieces at different vocabulary sizes (chapter 1): a sentence that the reader
// types and a few others, and one slider.

import { element, furnish, KEEPS_KEYS, liveRegion, newId, settingsOf, slider } from "../../figures/javascript/parts.js";
import { phrase, phraseParts } from "../../figures/javascript/messages.js";
import { Pieces } from "../../figures/javascript/pieces.js";

// A tokenizer from its own pieces: those for <pad>, <unk>, <bos>, <eos> and each byte are in all of them.
const SHARED = [
  "<pad>", "<unk>", "<bos>", "<eos>",
  ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
];

export const tokenizerOf = ({ pieces, scores }) =>
  new Pieces({ pieces: [...SHARED, ...pieces], scores: [...SHARED.map(() => 0), ...scores] });

export const piecesOf = (tokenizer, text) => tokenizer.encode(text).map((id) => tokenizer.pieces[id]);

// The text in parts, [part, whether it is a word that is not among the known ones].
export const partsOf = (text, known) =>
  (text.match(/[\p{L}\p{M}'’-]+|[^\p{L}\p{M}'’-]+/gu) ?? []).map((part) =>
    [part, known.size > 0 && /\p{L}/u.test(part) && !known.has(part.toLowerCase())]);

function render({ model, el }) {
  const { sizes, tokenizers, sentences, known } = model.get("data");
  const { settings, keep } = settingsOf(model);
  const cutters = tokenizers.map(tokenizerOf);
  const learnt = new Set(known);
  const list = element("ul", { class: "explorer-sentences" });
  const says = liveRegion();

  const draw = () => {
    const own = settings.own.trim();
    const texts = own && own !== sentences[0] ? [own, ...sentences] : sentences;
    const cut = texts.map((text) => piecesOf(cutters[settings.at], text));
    list.replaceChildren(...texts.map((text, k) => {
      const shown = partsOf(text, learnt).map(([part, isNew]) => (isNew ? element("mark", {}, part) : part));
      const boxes = cut[k].map((piece) => element("span", { class: "explorer-piece" }, piece));
      const count = element("span", { class: "explorer-muted" }, phrase("{count} pieces", { count: String(cut[k].length) }));
      return element("li", {}, element("div", {}, ...shown, " ", count), element("div", {}, ...boxes));
    }));
    const all = cut.reduce((sum, pieces) => sum + pieces.length, 0);
    says.textContent = phrase("With a vocabulary of {size}, these sentences take {count} pieces.", { size: String(sizes[settings.at]), count: String(all) });
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };

  const id = newId("own");
  const input = element("input", {
    id, type: "text", value: settings.own || sentences[0], autocomplete: "off", spellcheck: "false", maxlength: 1000,
    input: () => set({ own: input.value }), ...KEEPS_KEYS,
  });
  const size = slider({
    label: phrase("Size of the vocabulary"), min: 0, max: sizes.length - 1, value: settings.at,
    show: (at) => `${sizes[at]}`, change: (at) => set({ at }),
  });
  const marked = element("mark", {}, phrase("Marked"));
  furnish(
    el, phrase("Explorer of subwords"),
    element(
      "div", { class: "explorer-controls" },
      element("div", { class: "explorer-own" }, element("label", { for: id }, phrase("Your sentence")), input), size,
    ),
    list, says, learnt.size ? element("p", { class: "explorer-muted" }, ...phraseParts("{marked} words are not in the training text.", { marked })) : "",
  );
  draw();
}

export default { render };
