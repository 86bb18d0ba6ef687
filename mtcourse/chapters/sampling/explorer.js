// The next token behind a temperature, top-k, top-p and min-p (chapter 19), in either order: what stays,
// what is drawn, and which translations come out of it.

import { translatorOf } from "../../figures/javascript/loaded_translator.js";
import {
  choice, element, furnish, KEEPS_KEYS, liveRegion, select, settingsOf, slider, weight,
} from "../../figures/javascript/parts.js";
import { EOS } from "../../figures/javascript/pieces.js";
import { draw, longestTranslation, topK, topP, withTemperature, writing } from "../../figures/javascript/search.js";
import { softmax } from "../../figures/javascript/transformer.js";

const KS = [1, 2, 3, 5, 10, 20, 50, 100, Infinity];
const PS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const MS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1];
const HOTTEST = 31; // stands for infinity
const SHOWN_TOKENS = 12;
const DRAWN = 20;
const TRANSLATIONS = 5;

// --- filters, from logits to logits -------------------------------------------------------------

// With both limits: greedy at 0, uniform over what may be drawn at infinity.
export function tempered(logits, T) {
  const highest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  if (T === 0) return logits.map((a) => (a === highest ? 0 : -Infinity));
  if (T === Infinity) return logits.map((a) => (a === -Infinity ? a : 0));
  return withTemperature(logits.map((a) => a - highest), T);
}

export function minP(logits, share) {
  const lowest = logits.reduce((a, b) => Math.max(a, b), -Infinity) + Math.log(share);
  return logits.map((a) => (a < lowest ? -Infinity : a));
}

export const valuesOf = ({ T, k, p, m, order }) =>
  ({ T: T === HOTTEST ? Infinity : T / 10, k: KS[k], p: PS[p], m: MS[m], order });

export function filtered(logits, { T, k, p, m, order }) {
  let changed = order === "first" ? tempered(logits, T) : logits;
  if (k !== Infinity) changed = topK(changed, k);
  if (p < 1) changed = topP(changed, p);
  if (m > 0) changed = minP(changed, m);
  return order === "first" ? changed : tempered(changed, T);
}

// --- random numbers that a link brings back -----------------------------------------------------

// Mulberry32: a seed gives the same numbers everywhere.
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// --- what is shown ------------------------------------------------------------------------------

export function viewOf({ texts, pieces }, settings) {
  const { logits: stored, model } = texts[settings.text];
  const logits = Float64Array.from(stored, (hundredths) => hundredths / 100);
  const before = softmax(logits);
  const changed = filtered(logits, valuesOf(settings));
  const after = softmax(changed);
  const order = Array.from(before.keys()).sort((a, b) => before[b] - before[a] || a - b);
  const kept = order.filter((id) => changed[id] > -Infinity);
  return {
    names: pieces[model], before, after, changed, kept,
    shown: order.slice(0, SHOWN_TOKENS),
    together: kept.reduce((all, id) => all + before[id], 0),
  };
}

// How often each token comes up, the most frequent first.
export function tally(view, seed) {
  const random = randomFrom(seed);
  const counts = new Map();
  for (let i = 0; i < DRAWN; i++) {
    const id = draw(view.changed, random);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || a - b).map(([id, n]) => [view.names[id], n]);
}

// So many translations; pause() lets the page breathe between two of them.
export async function translationsOf(translator, text, settings, pause = async () => {}) {
  const { model, source, target, config } = translator;
  const ids = [...source.encode(text), EOS];
  const random = randomFrom(settings.seed);
  const choose = (logits) => draw(filtered(Float64Array.from(logits), valuesOf(settings)), random);
  const found = [];
  const start = model.start(ids);
  const next = (id, state) => model.step(id, state);
  for (let i = 0; i < TRANSLATIONS; i++) {
    const steps = [...writing(next, start, longestTranslation(ids.length, config.max_length), choose)];
    found.push(target.decode(steps.map(({ id }) => id)));
    await pause();
  }
  return found;
}

function keptSays({ names, after, kept, together, before }) {
  const [first] = kept;
  const tokens = kept.length === 1 ? "1 token stays" : `${kept.length.toLocaleString("en")} of ${names.length.toLocaleString("en")} tokens stay`;
  return `${tokens}, with ${weight(together, 3)} of the model's probability. “${names[first]}” had ${weight(before[first], 3)} and has ${weight(after[first], 3)}.`;
}

function tokenTable() {
  const body = element("tbody");
  const head = element(
    "tr", {}, element("th", { scope: "col" }, "next token"), element("th", { scope: "col" }, "model"),
    element("th", { scope: "col", class: "explorer-wide" }, "after the filters"),
  );
  const table = element(
    "table", { class: "explorer-row-table" },
    element("caption", {}, `The ${SHOWN_TOKENS} most probable tokens`), element("thead", {}, head), body,
  );
  const show = ({ names, before, after, changed, shown }) => {
    const most = Math.max(...shown.map((id) => Math.max(before[id], after[id])));
    body.replaceChildren(...shown.map((id) => {
      const out = changed[id] === -Infinity;
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", after[id] / most);
      return element(
        "tr", {}, element("th", { scope: "row" }, names[id]), element("td", {}, weight(before[id], 3)),
        element("td", {}, bar, element("span", { class: "explorer-weight" }, out ? "excluded" : weight(after[id], 3))),
      );
    }));
  };
  return { table, show };
}

const warmth = (T) => (T === HOTTEST ? "∞" : (T / 10).toFixed(1));
const cutOff = (list, off) => (place) => (list[place] === off ? "off" : String(list[place]));

// What is chosen, in words: it stays with the translations while the sliders move on.
export const filtersOf = ({ T, k, p, m }) =>
  `temperature ${warmth(T)}, top-k ${cutOff(KS, Infinity)(k)}, top-p ${cutOff(PS, 1)(p)}, min-p ${cutOff(MS, 0)(m)}`;

function controlsOf(data, settings, set) {
  const inList = (label, name, list, off) => slider({
    label, min: 0, max: list.length - 1, value: settings[name],
    show: cutOff(list, off), change: (place) => set({ [name]: place }),
  });
  return element(
    "div", { class: "explorer-controls" },
    select({
      label: "Text", options: data.texts.map(({ text }, i) => [String(i), text]), value: String(settings.text),
      change: (value) => set({ text: Number(value) }),
    }),
    slider({
      label: "temperature", min: 0, max: HOTTEST, value: settings.T,
      show: warmth, change: (T) => set({ T }),
    }),
    inList("top-k", "k", KS, Infinity), inList("top-p", "p", PS, 1), inList("min-p", "m", MS, 0),
    choice({
      legend: "The temperature comes", options: [["first", "first"], ["last", "last"]],
      value: settings.order, change: (order) => set({ order }),
    }),
  );
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const tokens = tokenTable();
  const says = liveRegion();
  const drawnTokens = liveRegion();
  const status = element("p", { class: "explorer-muted", role: "status" });
  const list = element("ol", {});

  const show = () => {
    const view = viewOf(data, settings);
    tokens.show(view);
    says.textContent = keptSays(view);
    const counts = tally(view, settings.seed).map(([name, n]) => `${name} ${n}`);
    drawnTokens.replaceChildren(element("b", {}, `${DRAWN} draws: `), counts.join(", "));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    show();
    keep();
  };

  let busy = false;
  const write = async () => {
    if (busy) return;
    busy = true;
    try {
      status.textContent = "The translator is loading.";
      const translator = await translatorOf(model, (share) => { status.textContent = `The translator is loading: ${Math.round(100 * share)}%`; });
      status.textContent = "The translator is writing.";
      const pause = () => new Promise((resolve) => { setTimeout(resolve); });
      const chosen = { ...settings }; // a reader may move the sliders meanwhile
      const texts = await translationsOf(translator, data.sources[chosen.source], chosen, pause);
      list.replaceChildren(...texts.map((text) => element("li", { lang: "nl" }, text)));
      status.textContent = `${new Set(texts).size} different of ${texts.length}, with ${filtersOf(chosen)}.`;
    } catch (error) {
      status.textContent = `The translator is missing: ${error.message}. The upper part works without it.`;
    } finally {
      busy = false;
    }
  };
  const again = () => set({ seed: settings.seed + 1 });
  furnish(
    el, "Explorer of samplers", controlsOf(data, settings, set), tokens.table, says,
    element("button", { type: "button", click: again, ...KEEPS_KEYS }, `Draw ${DRAWN} tokens again`), drawnTokens,
    select({
      label: "Sentence to translate", options: data.sources.map((text, i) => [String(i), text]), value: String(settings.source),
      change: (value) => set({ source: Number(value) }),
    }),
    element("button", { type: "button", click: () => { again(); write(); }, ...KEEPS_KEYS }, `Write ${TRANSLATIONS} translations with these filters`),
    status, list,
  );
  show();
}

export default { render };
