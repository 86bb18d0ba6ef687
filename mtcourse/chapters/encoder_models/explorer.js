// Encoder models (chapter 15): which tokens masked language modelling chooses and what it puts in
// their place; and one hidden word, filled from both sides and from the left alone.

import { element, furnish, liveRegion, select, settingsOf, slider, wordList } from "../../figures/javascript/parts.js";

// --- masking ------------------------------------------------------------------------------------

const MASK = "<mask>";

// A token is chosen where its first number lies below the rate; its second number decides what
// becomes of it: <mask> up to the first share, then a random token, then nothing.
export function masked({ pieces, draws }, { rate, masked: hidden, random, draw }) {
  return pieces.map((piece, t) => {
    if (draws.choice[draw][t] >= rate / 100) return { input: piece, fate: "not chosen" };
    const fate = 100 * draws.fate[draw][t];
    if (fate < hidden) return { input: MASK, fate: "masked", label: piece };
    if (fate < hidden + random) return { input: draws.random[draw][t], fate: "random", label: piece };
    return { input: piece, fate: "kept", label: piece };
  });
}

export function counted(tokens) {
  const counts = { masked: 0, random: 0, kept: 0, "not chosen": 0 };
  for (const { fate } of tokens) counts[fate] += 1;
  return counts;
}

const percent = (share) => `${share.toFixed(share < 10 ? 1 : 0)}%`;

function saysOfMasks(tokens, { rate, masked: hidden, random }) {
  const counts = counted(tokens);
  const chosen = tokens.length - counts["not chosen"];
  const of = (fate, name) => {
    const which = tokens.filter((token) => token.fate === fate);
    return which.length ? `${which.length} ${name} (${which.map(({ label }) => `“${label}”`).join(", ")})` : `0 ${name}`;
  };
  const shares = [hidden, random, 100 - hidden - random].map((share) => percent((rate * share) / 100));
  return `${chosen} of ${tokens.length} tokens count in the loss: ${of("masked", "masked")}, ${of("random", "replaced at random")}, `
    + `${of("kept", "left as they are")}. On average ${shares[0]} of all tokens become <mask>, ${shares[1]} a random token, and ${shares[2]} stay and count.`;
}

function tokenBox({ input, fate, label }) {
  const style = { masked: "border-color: var(--accent); border-width: 2px", random: "border-color: var(--warning); border-width: 2px", kept: "border-style: dashed; border-width: 2px; border-color: var(--ink)" }[fate] ?? "";
  const box = element("span", { class: "explorer-piece", style }, input);
  const asked = element("span", { class: "explorer-label", style: "display: block; text-align: center; min-height: 1.3em" }, label ? `asked: ${label}` : "");
  return element("span", { style: "display: inline-block; vertical-align: top; margin-right: 0.2rem" }, box, asked);
}

function masks({ data, settings, set, redrawn }) {
  const says = liveRegion();
  const row = element("div", { style: "margin-top: 0.8rem", "aria-hidden": "true" });
  const draw = () => {
    const tokens = masked(data.sentences[settings.sentence], settings);
    row.replaceChildren(tokenBox({ input: "<class>", fate: "not chosen" }), ...tokens.map(tokenBox));
    says.textContent = saysOfMasks(tokens, settings);
  };
  const share = (name, other, label) => slider({
    label, min: 0, max: 100, value: settings[name], show: (value) => `${value}%`,
    change: (value) => {
      settings[name] = value;
      if (value + settings[other] > 100) follow(other, 100 - value);
      set({});
    },
  });
  const sliders = {
    masked: share("masked", "random", "Of the chosen, become <mask>"),
    random: share("random", "masked", "Of the chosen, become a random token"),
  };
  const follow = (name, value) => {
    sliders[name].input.value = value;
    sliders[name].input.dispatchEvent(new Event("input"));
  };
  const again = element("button", {
    type: "button",
    click: () => set({ draw: (settings.draw + 1) % data.sentences[0].draws.choice.length }),
  }, "Draw again, as in the next epoch");
  const controls = element(
    "div", { class: "explorer-controls" },
    slider({
      label: "Tokens chosen (the rate)", min: 1, max: 100, value: settings.rate, show: (value) => `${value}%`,
      change: (value) => set({ rate: value }),
    }),
    sliders.masked, sliders.random, element("div", {}, again),
  );
  redrawn.push(draw);
  return [controls, row, says];
}

// --- one blank ----------------------------------------------------------------------------------

const SIDE_BY_SIDE = "display: grid; gap: 0.8rem 2rem; margin-top: 0.9rem; align-items: start; "
  + "grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr))";
const SIDES = [["left", "Decoder: reads the words before the blank"], ["both", "Encoder: reads the words on both sides"]];

const probability = (p) => (p >= 0.0005 ? p.toFixed(3) : "< 0.001");

function proposals({ pieces, p }, right) {
  const body = element("tbody", {}, ...pieces.map((piece, k) => {
    const bar = element("span", { class: "explorer-bar", style: `--weight: ${p[k]}`, "aria-hidden": "true" });
    const value = element("td", {}, element("span", { class: "explorer-weight" }, probability(p[k])), bar);
    const name = element("th", { scope: "row" });
    name.append(piece === right ? element("b", {}, `${piece} (original)`) : piece);
    return element("tr", {}, name, value);
  }));
  return body;
}

export function saysOfBlank({ words, blanks }, place) {
  const found = blanks[place];
  const word = `“${words[place]}”`;
  if (!found) return `${word} is more than one piece for one of the two models: choose another word.`;
  const said = ({ right, rank }) => `${probability(right)} (rank ${rank})`;
  return `The original word is ${word}. The decoder gives it ${said(found.left)}, the encoder ${said(found.both)}.`;
}

function blank({ data, settings, set, redrawn }) {
  const says = liveRegion();
  const list = wordList({ label: "Hide one word", lang: "nl", change: (place) => set({ word: place }) });
  const tables = element("div", { style: SIDE_BY_SIDE });
  const draw = () => {
    const sentence = data.sentences[settings.sentence];
    const found = sentence.blanks[settings.word];
    list.offer(sentence.words, settings.word);
    tables.replaceChildren(...(found ? SIDES.map(([side, title]) => element(
      "table", { class: "explorer-row-table" },
      element("caption", {}, title),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "proposal"), element("th", { scope: "col" }, "probability"))),
      proposals(found[side], sentence.words[settings.word]),
    )) : []));
    says.textContent = saysOfBlank(sentence, settings.word);
  };
  redrawn.push(draw);
  return [element("p", { class: "explorer-label" }, "Hide one word"), list, tables, says];
}

// --- both ---------------------------------------------------------------------------------------

function part(title, children, style = "") {
  return element(
    "div", { role: "group", "aria-label": title, style },
    element("p", { style: "margin: 0 0 0.5rem" }, element("b", {}, title)), ...children,
  );
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const redrawn = [];
  const set = (changes) => {
    Object.assign(settings, changes);
    for (const draw of redrawn) draw();
    keep();
  };
  const sentence = select({
    label: "Sentence", options: data.sentences.map(({ text }, k) => [String(k), text]), value: String(settings.sentence),
    change: (value) => {
      const { words } = data.sentences[Number(value)];
      set({ sentence: Number(value), word: Math.min(settings.word, words.length - 1) });
    },
  });
  const at = { data, settings, set, redrawn };
  furnish(
    el, "Explorer of masked language modelling", sentence,
    part("What is hidden, and what is asked", masks(at), "margin-top: 1rem"),
    part("One hidden word: from the left, and from both sides", blank(at), "margin-top: 1.6rem"),
  );
  for (const draw of redrawn) draw();
}

export default { render };
