// A translator's map beside the links that are known (chapter 6): which English words does a Dutch
// word look at, and what are the links worth that one reads off? Of the reader's own sentence no links
// are known.

import { examined, shownPiece } from "../../figures/javascript/examined.js";
import { ownSentence } from "../../figures/javascript/own_sentence.js";
import {
  choice, element, furnish, grid, liveRegion, newId, select, settingsOf, slider, weight, wordList, written,
} from "../../figures/javascript/parts.js";
import { normalise } from "../../figures/javascript/pieces.js";

// --- from pieces to words: mtcourse.models.word_weights -------------------------------------------

const WORD = /[\p{L}\p{N}_]+(?:[-'’.,][\p{L}\p{N}_]+)*|[^\p{L}\p{N}_\s]/gu;
const bytesIn = (text) => new TextEncoder().encode(text).length;
const isByte = (piece) => /^<0x..>$/.test(piece);
const ENDS = "<eos>";

// Words of a sentence, and for each the places of its pieces; where the pieces do not spell the sentence,
// each piece is a word of its own. pieces: with or without <eos> at their end.
export function wordsOfPieces(pieces, sentence) {
  const spelt = pieces.filter((piece) => piece !== ENDS);
  const words = normalise(sentence).match(WORD) ?? [];
  const ends = words.map((_, k) => words.slice(0, k + 1).reduce((sum, word) => sum + bytesIn(word), 0));
  const places = words.map(() => []);
  let at = 0;
  spelt.forEach((piece, place) => {
    places[ends.filter((end) => end <= at).length]?.push(place);
    at += isByte(piece) ? 1 : bytesIn(piece.replaceAll("\u2581", ""));
  });
  const spells = at === (ends.at(-1) ?? 0) && places.every((of) => of.length);
  return spells ? { words, places } : { words: spelt.map(shownPiece), places: spelt.map((_, k) => [k]) };
}

// Adds up columns, because weights are shares, and averages rows; the last column is that of <eos>.
export function weightsOfWords(rows, source, target) {
  const columns = [...source.places, [rows[0].length - 1]];
  return target.places.map((of) => columns.map((from) =>
    of.reduce((sum, j) => sum + from.reduce((share, i) => share + rows[j][i], 0), 0) / of.length));
}

// Row j where the decoder read piece j, and not where it predicted it: one step later.
export const asRead = (rows) => rows.map((row, j) => rows[j + 1] ?? row.map(() => 0));

// A sentence as the data hold the stored ones; it has no known links.
export function wordsOfSentence(translator, text) {
  const found = examined(translator, text);
  const source = wordsOfPieces(found.sourcePieces, text);
  const target = wordsOfPieces(found.writtenPieces, found.translation);
  if (!target.words.length) throw new Error("The translator writes nothing for this sentence: take another one.");
  const inWords = (change) => found.cross.map(({ weights }) =>
    weights.map((rows) => weightsOfWords(change(rows), source, target)));
  return {
    text, translation: found.translation, known: null,
    source: [...source.words, ENDS], target: target.words,
    predicts: inWords((rows) => rows), reads: inWords(asRead),
  };
}

// --- links ----------------------------------------------------------------------------------------

// One matrix of weights: that of a head, or the mean of a layer's heads (head -1).
export function weightsOf(heads, head) {
  if (head >= 0) return heads[head];
  return heads[0].map((row, j) =>
    row.map((_, i) => heads.reduce((sum, of) => sum + of[j][i], 0) / heads.length));
}

const placeOfLargest = (values) => values.indexOf(Math.max(...values));

// Links [i, j], source word first. Each rule is a function of the same name in
// mtcourse.evaluation.alignment; weights have a column for each source word, without <eos>.
export const strongestLinks = (weights) => weights.map((row, j) => [placeOfLargest(row), j]);
export const linksOfSource = (weights) =>
  weights[0].map((_, i) => [i, placeOfLargest(weights.map((row) => row[i]))]);
export const linksAbove = (weights, threshold) =>
  weights.flatMap((row, j) => row.flatMap((share, i) => (share > threshold ? [[i, j]] : [])));

// With sure links alone: AER = 1 - 2 |A n S| / (|A| + |S|).
export function scoresOf(found, known) {
  const right = found.filter(([i, j]) => known.some(([a, b]) => a === i && b === j)).length;
  return {
    right,
    precision: found.length ? right / found.length : 0,
    recall: right / known.length,
    errorRate: 1 - (2 * right) / (found.length + known.length),
  };
}

const RULES = {
  rows: "strongest of each Dutch word",
  columns: "strongest of each English word",
  threshold: "all weights above the threshold",
};
const ROWS = { predicts: "row that predicts the word", reads: "row that has read the word" };

// What the settings choose: words, weights with the column of <eos>, and the links read off.
export function viewOf({ source, target, known, ...maps }, { layer, head, row, rule, threshold }) {
  const weights = weightsOf(maps[row][layer], head);
  const ofWords = weights.map((line) => line.slice(0, -1));
  const found = {
    rows: () => strongestLinks(ofWords),
    columns: () => linksOfSource(ofWords),
    threshold: () => linksAbove(ofWords, threshold),
  }[rule]();
  return { source, target, known: known ?? [], areKnown: known !== null, weights, found };
}

const LINE = 30, LEFT = 118, RIGHT = 206, WIDTH = 324; // so narrow that words stay large beside the map
const at = (place) => (place + 1) * LINE - 8;

// Dutch words on the left, English ones on the right; thick lines are weights, dashed ones known links.
function picture(labelId, choose) {
  const svg = element("svg", { role: "img", "aria-labelledby": labelId, style: "max-width: 22rem; margin-inline: auto" });
  const line = (j, i, style, below = 0) =>
    element("line", { x1: LEFT, y1: at(j) - 5 + below, x2: RIGHT, y2: at(i) - 5 + below, style });
  const draw = ({ source, target, known, weights }, query) => {
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${LINE * (Math.max(source.length, target.length) + 0.3)}`);
    const lines = weights.flatMap((row, j) => row.flatMap((share, i) => {
      const look = `stroke: var(--accent); stroke-width: ${9 * share}; stroke-opacity: ${j === query ? 1 : 0.2}`;
      return share > 0.02 ? [line(j, i, look)] : [];
    }));
    const right = known.filter(([, j]) => j === query).map(([i, j]) =>
      line(j, i, "stroke: var(--warning); stroke-width: 2; stroke-dasharray: 5 4", 7));
    const dutch = target.map((word, j) => element("text", {
      class: "explorer-text", x: LEFT - 8, y: at(j), "text-anchor": "end",
      style: `cursor: pointer; font-weight: ${j === query ? 700 : 400}`,
      pointerenter: () => choose(j), click: () => choose(j),
    }, word));
    const english = source.map((word, i) =>
      element("text", { class: "explorer-text", x: RIGHT + 8, y: at(i) }, word));
    svg.replaceChildren(...lines, ...right, ...dutch, ...english);
  };
  return { svg, draw };
}

function heatMap({ source, target, areKnown }, change) {
  let shown;
  const isIn = (links, i, j) => links.some(([a, b]) => a === i && b === j);
  const table = grid({
    title: areKnown ? "Frames: known links. Dots: links read off." : "Dots: links read off.",
    rows: target,
    columns: source,
    move: (j) => change(j),
    fill: (cell, j, i) => {
      const { weights, known, found } = shown;
      const [isKnown, isFound] = [isIn(known, i, j), isIn(found, i, j)];
      cell.style.setProperty("--weight", weights[j][i]);
      cell.style.outline = isKnown ? "2px solid var(--warning)" : "";
      cell.style.outlineOffset = "-2px";
      cell.style.color = weights[j][i] > 0.5 ? "#fff" : "";
      cell.textContent = isFound ? "●" : "";
      const says = `${weight(weights[j][i])}${isKnown ? ", known link" : ""}${isFound ? ", read off" : ""}`;
      cell.setAttribute("aria-label", `${source[i]} ${says}`);
      cell.title = `${target[j]} → ${source[i]}: ${says}`;
    },
  });
  table.classList.add("explorer-heat");
  const show = (view, query) => {
    shown = view;
    table.draw();
    [...table.tBodies[0].rows].forEach((line, j) => line.classList.toggle("explorer-chosen", j === query));
    if (!table.contains(document.activeElement)) table.reach(query, 0);
  };
  return { table, show };
}

const named = (words) => words.map((word) => `“${word}”`).join(" and ") || "nothing";
const percent = (share) => `${written(100 * share, 0)}%`;

function sentenceOf({ source, target, known, areKnown, weights, found }, query) {
  const largest = placeOfLargest(weights[query]);
  const looks = `“${target[query]}” gives ${weight(weights[query][largest])} of its weight to “${source[largest]}”`;
  if (!areKnown) {
    return [
      element("b", {}, looks), `. In this sentence ${found.length} links are read off. It is your own, so there are no known `,
      "links to compare with and no error rate: judge the links yourself.",
    ];
  }
  const aligned = known.filter(([, j]) => j === query).map(([i]) => source[i]);
  const { right, precision, recall, errorRate } = scoresOf(found, known);
  return [
    element("b", {}, looks), `; the grammar links it with ${named(aligned)}. `,
    `In this sentence ${found.length} links are read off and ${known.length} known, ${right} are in both: `,
    `precision ${percent(precision)}, recall ${percent(recall)}, `,
    element("b", {}, `alignment error rate ${percent(errorRate)}`), ".",
  ];
}

function controlsOf(data, settings, set) {
  const numbered = (of, name) => of.map((_, k) => [String(k), `${name} ${k + 1}`]);
  const layers = data.sentences[0].predicts;
  const number = (name) => (value) => set({ [name]: Number(value) });
  const heads = [["-1", "mean of the heads"], ...numbered(layers[0], "head")];
  const choices = element(
    "div", { class: "explorer-selects" },
    select({ label: "Row", options: Object.entries(ROWS), value: settings.row, change: (row) => set({ row }) }),
    select({ label: "Layer", options: numbered(layers, "layer"), value: String(settings.layer), change: number("layer") }),
    select({ label: "Head", options: heads, value: String(settings.head), change: number("head") }),
  );
  const rule = choice({
    legend: "Links are", options: Object.entries(RULES), value: settings.rule, change: (of) => set({ rule: of }),
  });
  const threshold = slider({
    label: "Threshold", min: 0.02, max: 0.98, step: 0.02, value: settings.threshold,
    show: (value) => value.toFixed(2),
    change: (value) => {
      rule.choose("threshold");
      set({ threshold: value, rule: "threshold" });
    },
  });
  return element("div", { class: "explorer-controls" }, choices, rule, threshold);
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const words = wordList({ label: "The Dutch word that asks", lang: "nl", change: (query) => set({ query }) });
  const place = element("div", { class: "explorer-scroll" });
  const says = liveRegion();
  says.id = newId("alignment");
  const { svg, draw: drawLines } = picture(says.id, (query) => set({ query }));
  let map, shown;

  const draw = () => {
    const view = viewOf(shown, settings);
    map.show(view, settings.query);
    drawLines(view, settings.query);
    says.replaceChildren(...sentenceOf(view, settings.query));
  };
  const build = () => {
    const view = viewOf(shown, settings);
    settings.query = Math.min(settings.query, view.target.length - 1);
    words.offer(view.target, settings.query);
    map = heatMap(view, (query) => set({ query }));
    place.replaceChildren(map.table);
    draw();
  };
  const set = (changes) => {
    const same = Object.entries(changes).every(([name, value]) => settings[name] === value);
    if (same) return; // a pointer that rests on a word says so again whenever the word is drawn
    Object.assign(settings, changes);
    words.choose(settings.query);
    draw();
    keep();
  };

  const own = ownSentence({
    model, settings,
    texts: data.sentences.map(({ text }) => text),
    lines: data.sentences.map(({ text, translation }) => `${text} – ${translation}`),
    stored: ({ sentence }) => data.sentences[sentence],
    compute: wordsOfSentence,
    show: (of) => {
      shown = of;
      build();
      keep();
    },
  });

  furnish(
    el, "Explorer of alignments", element("div", { class: "explorer-controls" }, ...own.parts),
    controlsOf(data, settings, set),
    element("p", { class: "explorer-label" }, "The Dutch word that asks"), words,
    element("div", { class: "explorer-pair" }, place, svg), says,
  );
  own.begin();
}

export default { render };
