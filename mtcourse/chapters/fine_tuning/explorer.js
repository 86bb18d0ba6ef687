// Fine-tuned heads that label words (chapter 16): what each of them says of a sentence's words, which
// labels are wrong, and from how many labelled sentences on a word is right.

import {
  choice, element, furnish, liveRegion, select, settingsOf, slider, wordList,
} from "../../figures/javascript/parts.js";
import { counted, learningCurves } from "./learning_curves.js";

const LANGUAGES = [["en", "English"], ["nl", "Dutch, after English labels only"]];

// --- what the settings choose -------------------------------------------------------------------

export function viewOf({ labels, sizes, ways, sentences }, settings) {
  const { words, known, said } = sentences[settings.sentence][settings.language];
  const word = Math.min(settings.word, words.length - 1);
  const judged = ([label, certain], j) => ({ label: labels[label], certain, right: label === known[j] });
  const here = said[settings.way][sizes.indexOf(settings.size)].map(judged);
  return {
    words, word, here,
    known: known.map((label) => labels[label]),
    right: here.filter(({ right }) => right).length,
    heads: ways.map((way) => ({ way, said: sizes.map((_, k) => judged(said[way][k][word], word)) })),
  };
}

// The smallest size from which on a word is right; null if it is wrong at the largest.
export function rightFrom(said, sizes) {
  const lastWrong = said.map(({ right }) => right).lastIndexOf(false);
  return lastWrong === sizes.length - 1 ? null : sizes[lastWrong + 1];
}

export const firstMarked = (known) => Math.max(0, known.findIndex((label) => label !== 0));

// --- what is said -------------------------------------------------------------------------------

export function saysOfSentence({ words, known, here, right }, { way, size, language }) {
  const wrong = here.flatMap(({ label, certain, right: isRight }, j) =>
    (isRight ? [] : [`“${words[j]}” is labelled ${known[j]}, and the head says ${label} (${certain}%)`]));
  const learnt = language === "en" ? "" : " English";
  return `${way[0].toUpperCase()}${way.slice(1)}, ${counted(size)} labelled${learnt} sentences: ${right} of ${words.length} words and marks `
    + `have the right label${wrong.length ? `. Wrong: ${wrong.join("; ")}.` : "."}`;
}

export function saysOfWord({ words, word, known, heads }, { sizes }) {
  const each = heads.map(({ way, said }) => {
    const from = rightFrom(said, sizes);
    if (from === null) return `${way}: wrong with ${counted(sizes.at(-1))} sentences`;
    return `${way}: right ${from === sizes[0] ? "with every number of sentences" : `from ${counted(from)} sentences on`}`;
  });
  return `“${words[word]}” is labelled ${known[word]}. ${each.map((of) => of[0].toUpperCase() + of.slice(1)).join(". ")}.`;
}

// --- words --------------------------------------------------------------------------------------

// A badge's colour and form; every badge also names its label.
const tint = (colour) => `background: color-mix(in srgb, ${colour} 30%, var(--ground))`;
const BADGES = {
  interface: `${tint("#2b7bba")}; border: 1px solid #2b7bba`,
  menu: `${tint("#2a9d6f")}; border: 3px double #2a9d6f`,
  code: `${tint("#8a63c9")}; border: 1px dashed #8a63c9`,
  key: `${tint("#b8860b")}; border: 1px solid #b8860b; border-bottom-width: 4px`,
};
const BADGE = "display: inline-block; padding: 0 0.3rem; border-radius: 4px; font-size: 0.85em; color: var(--ink)";
const BAR = "display: block; height: 0.3rem; margin-top: 0.15rem; border-radius: 3px; opacity: 0.8; "
  + "background: linear-gradient(to right, currentColor var(--at), color-mix(in srgb, currentColor 15%, transparent) 0)";
const SMALL = "display: block; font-size: 0.85em";

const unseen = (text) => element("span", { class: "explorer-unseen" }, text);

const badge = (label) => element("span", { style: BADGES[label] ? `${BADGE}; ${BADGES[label]}` : "font-size: 0.85em" }, label);

function chip({ words, known, here }, j) {
  const { label, certain, right } = here[j];
  return element(
    "span", { style: "display: block; text-align: center; overflow-wrap: anywhere; font-variant-numeric: tabular-nums" },
    element("span", { style: label === "none" ? "" : "font-weight: 700" }, words[j]), unseen(": the head says "),
    element(
      "span", { style: "display: block" },
      ...(right ? [] : [element("span", { "aria-hidden": "true" }, "✗ "), unseen("wrong: ")]), badge(label),
    ),
    unseen(", "),
    element("span", { style: SMALL }, `${certain}%`),
    element("span", { style: `${BAR}; --at: ${certain}%`, "aria-hidden": "true" }),
    ...(right ? [] : [unseen(", "), element("span", { style: SMALL }, `help: ${known[j]}`)]),
  );
}

const CELL = "padding: 0.1rem 0.3rem; width: auto; height: auto; min-width: min(8rem, 22cqi); line-height: 1.3; white-space: normal";

// What all heads say of the chosen word; the head of the settings is framed, wrong labels are marked.
function tableOf({ words, word, known, heads }, { sizes }, settings) {
  const head = element(
    "tr", {}, element("th", { scope: "col" }, unseen("labelled sentences seen")),
    ...heads.map(({ way }) => element("th", { scope: "col", style: "padding: 0 0.3rem 0.25rem; white-space: normal" }, way)),
  );
  const lines = sizes.map((size, k) => element(
    "tr", {}, element("th", { scope: "row" }, counted(size)),
    ...heads.map(({ way, said }) => {
      const { label, certain, right } = said[k];
      const isHere = way === settings.way && size === settings.size;
      return element(
        "td", {
          class: [right ? "" : "explorer-leak", isHere ? "explorer-chosen" : ""].join(" "),
          "aria-current": isHere ? "true" : null, style: CELL,
        },
        ...(right ? [] : [element("span", { "aria-hidden": "true" }, "✗ "), unseen("wrong: ")]),
        element("span", { style: "white-space: nowrap" }, label), ` ${certain}%`,
      );
    }),
  ));
  return element(
    "table", { class: "explorer-matrix", style: "margin-top: 0.9rem" },
    element("caption", {}, "What each head says of ", element("b", {}, `“${words[word]}”`),
      ` (labelled ${known[word]}), by the number of labelled sentences that it has seen`),
    element("thead", {}, head), element("tbody", {}, ...lines),
  );
}

// --- all of it ----------------------------------------------------------------------------------

const numbered = (texts) => texts.map((text, k) => [String(k), text]);

function controlsOf(data, settings, set) {
  const { sentences, sizes, ways } = data;
  const texts = () => numbered(sentences.map((of) => of[settings.language].text));
  const sentence = select({
    label: "Sentence of the test set", options: texts(), value: String(settings.sentence),
    change: (value) => set({ sentence: Number(value) }),
  });
  const controls = element(
    "div", { class: "explorer-controls" }, sentence,
    element(
      "div", { style: "display: flex; flex-wrap: wrap; gap: 0.6rem 2.5rem" },
      choice({ legend: "Language of the sentence", options: LANGUAGES, value: settings.language, change: (language) => set({ language }) }),
      choice({ legend: "What is trained", options: ways.map((way) => [way, way]), value: settings.way, change: (way) => set({ way }) }),
    ),
    slider({
      label: "Labelled sentences seen", min: 0, max: sizes.length - 1, value: sizes.indexOf(settings.size),
      show: (k) => counted(sizes[k]), change: (k) => set({ size: sizes[k] }),
    }),
  );
  return { controls, offer: () => sentence.offer(texts(), String(settings.sentence)) };
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const ofSentence = liveRegion();
  const ofWord = liveRegion();
  const list = wordList({ label: "Words, each with the label that the head gives it", change: (word) => set({ word }) });
  const table = element("div", { class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "What all heads say of the chosen word" });

  const drawWord = (view) => {
    table.replaceChildren(tableOf(view, data, settings));
    ofWord.textContent = saysOfWord(view, data);
  };
  const drawSentence = (view) => {
    list.offer(view.words.map((_, j) => chip(view, j)), view.word);
    [...list.children].forEach((option, j) => {
      option.style.borderRadius = "8px";
      if (!view.here[j].right) option.style.border = "2px solid var(--warning)";
    });
    ofSentence.textContent = saysOfSentence(view, settings);
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("sentence" in changes || "language" in changes) {
      settings.word = firstMarked(data.sentences[settings.sentence][settings.language].known);
    }
    if ("language" in changes) controls.offer();
    const view = viewOf(data, settings);
    settings.word = view.word;
    const isScoreAlone = Object.keys(changes).every((name) => name === "score");
    if (!("word" in changes || isScoreAlone)) drawSentence(view);
    if (!isScoreAlone) drawWord(view);
    if (!("word" in changes)) curves.draw();
    keep();
  };
  const controls = controlsOf(data, settings, set);
  const curves = learningCurves({ data, settings, set });

  furnish(
    el, "Explorer of fine-tuned heads", controls.controls,
    element("p", { class: "explorer-label" },
      "Under each word: the head’s label, and how certain the head is. ✗ marks a wrong label; below it stands the help’s."),
    list, ofSentence, table, ofWord,
    element("div", { style: "margin-top: 1.2rem" }, ...curves.children),
  );
  drawSentence(viewOf(data, settings));
  drawWord(viewOf(data, settings));
  curves.draw();
  curves.begin();
}

export default { render };
