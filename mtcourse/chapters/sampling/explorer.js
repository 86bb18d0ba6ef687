// The next token behind a temperature, top-k, top-p and min-p (chapter 19), in either order: what stays,
// what is drawn, and which whole texts come out of it; for texts that came with the page, and for a
// reader's own.

import { languageModelOf, newsOfWords, problemOfText, translatorOf } from "../../figures/javascript/loaded_translator.js";
import {
  choice, element, furnish, KEEPS_KEYS, liveRegion, newId, select, settingsOf, slider, weight,
} from "../../figures/javascript/parts.js";
import { BOS, EOS } from "../../figures/javascript/pieces.js";
import { draw, longestTranslation, topK, topP, withTemperature, writing } from "../../figures/javascript/search.js";
import { softmax } from "../../figures/javascript/transformer.js";

const KS = [1, 2, 3, 5, 10, 20, 50, 100, Infinity];
const PS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const MS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1];
const HOTTEST = 31; // stands for infinity
const SHOWN_TOKENS = 12;
const DRAWN = 20;
const WRITTEN = 5;

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

// entry: a text of the page, with logits in hundredths, or a reader's own, with exact ones.
export function viewOf({ texts, pieces }, settings, entry = texts[settings.text]) {
  const { logits: hundredths, exact, model } = entry;
  const logits = exact ? Float64Array.from(exact) : Float64Array.from(hundredths, (one) => one / 100);
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

// --- the reader's own texts ---------------------------------------------------------------------

const CONTINUED = 40; // tokens that are written behind a beginning, at most
const short = (text) => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

// Who reads what: the setting that holds a reader's own text, and its place in the list of texts.
export const READERS = {
  translator: {
    setting: "own", place: -1, label: "Your sentence, for the translator", lang: "en", who: "The translator", what: "sentence",
    load: translatorOf, most: ({ config }) => config.max_length, count: ({ source }, text) => source.encode(text).length + 1,
    named: (text) => `${text} → …`, entry: (text) => ({ source: text, begun: "" }),
  },
  dutch: {
    setting: "beginning", place: -2, label: "Or your beginning in Dutch, for the language model", lang: "nl", who: "The language model", what: "beginning",
    load: languageModelOf, most: ({ config }) => config.max_length - 2, count: ({ source }, text) => source.encode(text).length,
    named: (text) => `${text} …`, entry: (text) => ({ begun: text }),
  },
};

// How a text is gone on with: the model's step and first state, the tokens that are given, and how
// many there may be with them.
export function task({ model, source, target, config }, { model: kind, source: sentence, begun }) {
  const next = (id, state) => model.step(id, state);
  const forced = target.encode(begun);
  if (kind === "dutch") {
    return { next, start: model.start(), forced, longest: Math.min(forced.length + CONTINUED, config.max_length - 1) };
  }
  const ids = [...source.encode(sentence), EOS];
  return { next, start: model.start(ids), forced, longest: longestTranslation(ids.length, config.max_length) };
}

// The logits of the token after what is given.
export function nextLogits({ next, start, forced }) {
  let read = next(BOS, start);
  for (const id of forced) read = next(id, read.state);
  return read.logits;
}

// A reader's own text as the stored ones are; throws what is wrong with it.
export function entryOf(loaded, kind, own) {
  const { most, count, who, what, named, entry } = READERS[kind];
  const problem = problemOfText(own, (text) => count(loaded, text), most(loaded), { who: who.toLowerCase(), what });
  if (problem) throw new Error(problem);
  const of = { model: kind, text: named(own), ...entry(own) };
  return { ...of, exact: nextLogits(task(loaded, of)) };
}

// Whole texts, one after the other; pause() lets the page breathe between two of them, and says whether
// they are still wanted.
export async function textsOf(loaded, entry, settings, pause = async () => true) {
  const random = randomFrom(settings.seed);
  const choose = (logits) => draw(filtered(Float64Array.from(logits), valuesOf(settings)), random);
  const { next, start, forced, longest } = task(loaded, entry);
  const found = [];
  for (let i = 0; i < WRITTEN; i++) {
    const steps = [...writing(next, start, longest, choose, forced)];
    found.push(loaded.target.decode(steps.map(({ id }) => id)));
    if (!(await pause())) return null;
  }
  return found;
}

// --- the explorer -------------------------------------------------------------------------------

function slidersOf(settings, set) {
  const inList = (label, name, list, off) => slider({
    label, min: 0, max: list.length - 1, value: settings[name],
    show: cutOff(list, off), change: (place) => set({ [name]: place }),
  });
  return [
    slider({
      label: "temperature", min: 0, max: HOTTEST, value: settings.T,
      show: warmth, change: (T) => set({ T }),
    }),
    inList("top-k", "k", KS, Infinity), inList("top-p", "p", PS, 1), inList("min-p", "m", MS, 0),
    choice({
      legend: "The temperature comes", options: [["first", "first"], ["last", "last"]],
      value: settings.order, change: (order) => set({ order }),
    }),
  ];
}

// A box for a reader's own text. begin() hears of the first letter, ask(text) of what was entered.
function ownBox({ label, lang }, value, begin, ask) {
  const id = newId("own");
  const input = element("input", {
    id, type: "text", value, autocomplete: "off", spellcheck: "false", lang, ...KEEPS_KEYS, input: () => begin(),
    keydown: (event) => { if (event.key === "Enter") submit(event); }, // JupyterLab keeps it from the form
  });
  const submit = (event) => {
    event.preventDefault();
    ask(input.value.trim());
  };
  const form = element(
    "form", { class: "explorer-own", submit }, element("label", { for: id }, label),
    element("span", { class: "explorer-own-row" }, input, element("button", { type: "submit", "aria-label": `Show: ${label}` }, "Show")),
  );
  return { form, input };
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const stored = data.texts.length;
  const byPlace = Object.fromEntries(Object.entries(READERS).map(([kind, { place }]) => [place, kind]));
  if (settings.text < 0 && !settings[READERS[byPlace[settings.text]].setting]) throw new Error("there is no text of the reader's");
  const tokens = tokenTable();
  const says = liveRegion();
  const drawnTokens = liveRegion();
  const told = element("p", { class: "explorer-muted", role: "status" });
  const about = element("p", { class: "explorer-muted" });
  const status = element("p", { class: "explorer-muted", role: "status" });
  const list = element("ol", {});
  const ready = {}; // models by kind, when they have come
  const coming = {};
  const own = {}; // the reader's own texts by kind, with their logits
  let now = null; // the text that is shown
  let stands = {}; // the settings that chose it
  let turn = 0; // a newer text ends the waiting for an older one
  let writes = 0; // and the writing of an older one

  const show = () => {
    const view = viewOf(data, settings, now);
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

  // A model, loaded once; null if it does not come. tell() hears {loading} meanwhile, and {problem}.
  const load = (kind, tell) => {
    const { who, load: loading } = READERS[kind];
    if (!ready[kind]) tell({ loading: `${who} is loading.` });
    coming[kind] ??= loading(model, (share) => tell({ loading: `${who} is loading: ${Math.round(100 * share)}%` }))
      .then((loaded) => { ready[kind] = loaded; return loaded; })
      .catch((error) => { coming[kind] = null; throw error; }); // so that it can be tried again
    return coming[kind].then((loaded) => { tell({ loading: "" }); return loaded; }).catch((error) => {
      tell({ loading: "", problem: `${who} is missing: ${error.message}. The stored texts and the sliders work without it.` });
      return null;
    });
  };
  const news = { problem: "", loading: "" }; // a problem stays while a model loads
  const tell = (changes) => { told.textContent = Object.assign(news, changes).problem || news.loading; };

  const options = () => [
    ...Object.values(READERS).filter(({ setting }) => settings[setting]).map(({ setting, place, named }) => [String(place), `your own: ${short(named(settings[setting]))}`]),
    ...data.texts.map(({ text }, i) => [String(i), text]),
  ];
  const chosen = () => ({ text: settings.text, own: settings.own, beginning: settings.beginning });
  const texts = select({ label: "Text", options: options(), value: String(Math.max(settings.text, 0)), change: (value) => ask({ text: Number(value) }) });

  const stand = (entry) => {
    now = entry;
    stands = chosen();
    texts.offer(options(), String(settings.text));
    const kind = byPlace[settings.text];
    const { setting, lang, who } = READERS[kind] ?? {};
    about.replaceChildren(...(kind ? newsOfWords(settings[setting], ready[kind], { lang }, who.toLowerCase()) : []));
    show();
    keep();
  };

  // Shows another text; what cannot be shown leaves everything as it was. Says whether it is shown.
  const ask = async (changes) => {
    const mine = (turn += 1);
    Object.assign(settings, changes);
    const kind = byPlace[settings.text];
    for (const { input } of Object.values(boxes)) input.removeAttribute("aria-invalid");
    tell({ problem: "" });
    if (!kind) {
      stand(data.texts[settings.text]);
      return true;
    }
    const { setting } = READERS[kind];
    const loaded = ready[kind] ?? (await load(kind, tell));
    if (mine !== turn) return false;
    try {
      if (loaded && own[kind]?.of !== settings[setting]) own[kind] = { of: settings[setting], entry: entryOf(loaded, kind, settings[setting]) };
      if (loaded) {
        stand(own[kind].entry);
        return true;
      }
    } catch (error) {
      tell({ problem: error.message });
      boxes[kind].input.setAttribute("aria-invalid", "true");
    }
    Object.assign(settings, stands);
    texts.offer(options(), String(settings.text));
    return false;
  };

  const write = async () => {
    const mine = (writes += 1);
    const [entry, filters] = [now, { ...settings }]; // a reader may move the sliders meanwhile
    const say = (text) => { if (mine === writes) status.textContent = text; };
    const loaded = ready[entry.model] ?? (await load(entry.model, ({ loading, problem }) => say(problem || loading)));
    if (!loaded || mine !== writes) return;
    say(`${READERS[entry.model].who} is writing.`);
    const found = await textsOf(loaded, entry, filters, async () => {
      await new Promise((resolve) => { setTimeout(resolve); });
      return mine === writes && el.isConnected;
    });
    if (!found) return;
    list.replaceChildren(...found.map((text) => element("li", { lang: "nl" }, text || "(nothing)")));
    say(`${new Set(found).size} different of ${found.length}, from “${short(entry.text)}” with ${filtersOf(filters)}.`);
  };
  const again = () => set({ seed: settings.seed + 1 });

  const boxes = Object.fromEntries(Object.entries(READERS).map(([kind, reader]) => [
    kind, ownBox(reader, settings[reader.setting], () => { if (!ready[kind] && !coming[kind]) load(kind, tell); }, (text) => {
      if (text) ask({ text: reader.place, [reader.setting]: text });
      else tell({ problem: `Write a ${reader.what} first.` });
    }),
  ]));
  furnish(
    el, "Explorer of samplers",
    element("div", { class: "explorer-controls" }, texts, ...Object.values(boxes).map(({ form }) => form), told, about, ...slidersOf(settings, set)),
    tokens.table, says,
    element("button", { type: "button", click: again, ...KEEPS_KEYS }, `Draw ${DRAWN} tokens again`), drawnTokens,
    element("button", { type: "button", click: () => { again(); write(); }, ...KEEPS_KEYS }, `Write ${WRITTEN} whole texts with these filters`),
    status, list,
  );
  if (settings.text >= stored) throw new Error("there is no such text");
  const asked = chosen();
  if (settings.text < 0) settings.text = 0; // until the model has come
  stand(data.texts[settings.text]);
  if (asked.text < 0) ask(asked);
}

export default { render };
