// The heads of a translator on any sentence (chapter 4): choose a word and see what it attends to, and
// what the division by sqrt(d_k) is for.

import { dotProduct, examined, shownPiece, sliceOf } from "../../figures/javascript/examined.js";
import { phrase, phraseParts } from "../../figures/javascript/messages.js";
import { ownSentence } from "../../figures/javascript/own_sentence.js";
import { element, furnish, grid, liveRegion, select, settingsOf, slider, weight, wordList, written } from "../../figures/javascript/parts.js";

// What the product of a query and a key is divided by: d_k^a, so sqrt(d_k) for a = 1/2.
export const divisor = (d_k, exponent) => d_k ** exponent;

// A row without any key that may be seen gets zeros.
export function softmaxOrZeros(scores) {
  const highest = Math.max(...scores);
  if (highest === -Infinity) return scores.map(() => 0);
  const shares = scores.map((score) => Math.exp(score - highest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

// Scores of all rows, -Infinity where a causal attention may not look.
export function scaledScores(products, { d_k, exponent = 0.5, temperature = 1, causal = false }) {
  const scale = divisor(d_k, exponent) * temperature;
  return products.map((row, i) =>
    row.map((product, j) => (causal && j > i ? -Infinity : product / scale)));
}

export const attentionWeights = (products, how) => scaledScores(products, how).map(softmaxOrZeros);

// exp of the entropy: over how many keys the weight would be spread, were it spread evenly.
export const effectiveNumber = (weights) =>
  Math.exp(-weights.reduce((sum, share) => sum + (share > 0 ? share * Math.log(share) : 0), 0));

const KINDS = {
  encoder: phrase("encoder: the source asks itself"),
  decoder: phrase("decoder: the translation asks itself"),
  cross: phrase("cross: the translation asks the source"),
};
const TEMPERATURES = { min: -2, max: 2, step: 0.05 }; // decimal logarithm
const temperatureOf = (value) => 10 ** value;

// q·k of each query with each key, head by head.
const productsOf = ({ q, K }, h) =>
  Array.from({ length: h }, (_, head) =>
    q.map((query) => K.map((key) => dotProduct(sliceOf(query, head, h), sliceOf(key, head, h)))));

// A sentence as the data hold the stored ones: its words, and the products of every head.
export function productsOfSentence(translator, text) {
  const found = examined(translator, text);
  const of = (kind) => found[kind].map((layer) => productsOf(layer, translator.config.h));
  return {
    text, translation: found.translation,
    source: found.sourcePieces.map(shownPiece),
    read: found.readPieces.map(shownPiece),
    write: found.writtenPieces.map(shownPiece),
    encoder: of("encoder"), decoder: of("decoder"), cross: of("cross"),
  };
}

// Which words ask, which answer, and the products of one head.
export function headOf(d_k, shown, { kind, layer, head }) {
  const { source, read, write } = shown;
  return {
    d_k,
    products: shown[kind][layer][head],
    queries: { encoder: source, decoder: read, cross: write }[kind],
    keys: kind === "decoder" ? read : source,
    causal: kind === "decoder",
  };
}

function rowTable() {
  const body = element("tbody");
  const caption = element("caption");
  const score = element("th", { scope: "col" });
  const head = element(
    "tr", {},
    element("th", { scope: "col" }, phrase("key")), element("th", { scope: "col" }, "q·k"), score,
    element("th", { scope: "col", class: "explorer-wide" }, phrase("weight")),
  );
  const table = element("table", { class: "explorer-row-table" }, caption, element("thead", {}, head), body);
  const draw = ({ query, keys, products, scores, weights, scale }) => {
    caption.replaceChildren(...phraseParts("{word} looks at", { word: element("b", {}, query) }));
    score.textContent = `÷ ${written(scale)}`;
    body.replaceChildren(...keys.map((key, j) => {
      const hidden = scores[j] === -Infinity;
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", weights[j]);
      return element(
        "tr", { class: hidden ? "explorer-hidden" : null },
        element("th", { scope: "row" }, key),
        element("td", {}, written(products[j], 1)),
        element("td", {}, hidden ? phrase("hidden") : written(scores[j], 2)),
        element("td", {}, bar, element("span", { class: "explorer-weight" }, weight(weights[j], 3))),
      );
    }));
  };
  return { table, draw };
}

function sentenceOf(query, keys, weights, all) {
  const largest = Math.max(...weights);
  const mean = all.reduce((sum, row) => sum + effectiveNumber(row), 0) / all.length;
  const saturated = all.filter((row) => Math.max(...row) > 0.99).length;
  return [
    element("b", {}, phrase("“{query}” gives {share} of its weight to “{key}”", {
      query, share: weight(largest, 3), key: keys[weights.indexOf(largest)],
    })),
    phrase("; it is spread over {number} words in effect. ", { number: written(effectiveNumber(weights), 1) }),
    phrase("In this head a row is spread over {number} words on average, and {saturated} of {all} rows have a weight above 0.99.", {
      number: written(mean, 1), saturated: String(saturated), all: String(all.length),
    }),
  ];
}

const d_k = () => [element("i", {}, "d", element("sub", {}, "k"))];
const numbered = (count, named) => Array.from({ length: count }, (_, i) => [String(i), named(String(i + 1))]);

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const words = wordList({ label: phrase("The word that asks"), change: (query) => set({ query }) });
  const place = element("div", { class: "explorer-scroll" });
  const row = rowTable();
  const says = liveRegion();
  const dutch = element("p", { class: "explorer-translation", lang: "nl" });
  let map, shown;

  const draw = () => {
    const { products, queries, keys, causal, d_k } = headOf(data.d_k, shown, settings);
    const how = { d_k, exponent: settings.exponent, temperature: settings.temperature, causal };
    const scores = scaledScores(products, how);
    const weights = scores.map(softmaxOrZeros);
    const q = settings.query;
    map.show(weights, scores, q);
    row.draw({
      query: queries[q], keys, products: products[q], scores: scores[q], weights: weights[q],
      scale: divisor(d_k, settings.exponent) * settings.temperature,
    });
    says.replaceChildren(...sentenceOf(queries[q], keys, weights[q], weights));
  };

  // Another sentence, kind, layer or head: other words, so another list and another map.
  const build = () => {
    const { queries, keys } = headOf(data.d_k, shown, settings);
    settings.query = Math.min(settings.query, queries.length - 1);
    words.offer(queries, settings.query);
    map = heatMap(queries, keys, (query) => set({ query }));
    place.replaceChildren(map.table);
    draw();
  };

  const set = (changes) => {
    Object.assign(settings, changes);
    if (Object.keys(changes).some((name) => ["kind", "layer", "head"].includes(name))) build();
    else {
      words.choose(settings.query);
      draw();
    }
    keep();
  };

  const own = ownSentence({
    model, settings,
    texts: data.sentences.map(({ text }) => text),
    lines: data.sentences.map(({ text, translation }) => `${text} – ${translation}`),
    stored: ({ sentence }) => data.sentences[sentence],
    compute: productsOfSentence,
    show: (of) => {
      shown = of;
      dutch.textContent = shown.translation;
      build();
      keep();
    },
  });

  furnish(
    el, phrase("Explorer of attention"), element("div", { class: "explorer-controls" }, ...own.parts), dutch,
    controlsOf(data, settings, set), element("p", { class: "explorer-label" }, phrase("The word that asks")), words,
    element("div", { class: "explorer-pair" }, place, row.table), says,
  );
  own.begin();
}

function controlsOf(data, settings, set) {
  const number = (name) => (value) => set({ [name]: Number(value) });
  const { encoder } = data.sentences[0];
  const choices = element(
    "div", { class: "explorer-selects" },
    select({ label: phrase("Attention"), options: Object.entries(KINDS), value: settings.kind, change: (kind) => set({ kind }) }),
    select({ label: phrase("Layer"), options: numbered(encoder.length, (number) => phrase("layer {number}", { number })), value: String(settings.layer), change: number("layer") }),
    select({ label: phrase("Head"), options: numbered(encoder[0].length, (number) => phrase("head {number}", { number })), value: String(settings.head), change: number("head") }),
  );
  const scaling = slider({
    label: phraseParts("Divide q·k by {width} to the power", { width: d_k() }), min: 0, max: 1, step: 0.05, value: settings.exponent,
    show: (a) => phrase("{exponent}, so {divisor}", { exponent: a.toFixed(2), divisor: written(divisor(data.d_k, a)) }), change: number("exponent"),
  });
  const temperature = slider({
    label: phrase("Temperature"), ...TEMPERATURES, value: Math.log10(settings.temperature),
    show: (value) => written(temperatureOf(value)), change: (value) => set({ temperature: temperatureOf(value) }),
  });
  return element("div", { class: "explorer-controls" }, choices, scaling, temperature);
}

function heatMap(queries, keys, change) {
  let shown = { weights: [], scores: [] };
  const table = grid({
    title: phrase("All rows: each asks, the columns answer"),
    rows: queries,
    columns: keys,
    move: (i) => change(i),
    fill: (cell, i, j) => {
      const share = shown.weights[i][j];
      const hidden = shown.scores[i][j] === -Infinity;
      cell.style.setProperty("--weight", share);
      cell.className = hidden ? "explorer-hidden" : "";
      const says = hidden ? phrase("hidden") : weight(share);
      cell.setAttribute("aria-label", `${keys[j]} ${says}`);
      cell.title = `${queries[i]} → ${keys[j]}: ${says}`;
    },
  });
  table.classList.add("explorer-heat");
  const show = (weights, scores, query) => {
    shown = { weights, scores };
    table.draw();
    [...table.tBodies[0].rows].forEach((line, i) => line.classList.toggle("explorer-chosen", i === query));
    if (!table.contains(document.activeElement)) table.reach(query, 0);
  };
  return { table, show };
}

export default { render };
