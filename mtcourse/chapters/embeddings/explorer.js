// The rows of a trained table (chapter 2): choose a word and see which rows are most like its own.

import { choice, element, furnish, liveRegion, newId, settingsOf, toggle, wordList, written } from "../../figures/javascript/parts.js";

const LEVELS = 16;
const SHOWN = 8;

const dot = (a, b) => { let sum = 0; for (let c = 0; c < a.length; c += 1) sum += a[c] * b[c]; return sum; };

// Two entries in a byte, from -1 to 1; each row comes out as long as it is in the table.
export function unpack({ rows, d, lengths }) {
  const bytes = Uint8Array.from(atob(rows), (character) => character.charCodeAt(0));
  return lengths.map((length, i) => {
    const row = new Float64Array(d);
    for (let c = 0; c < d; c += 1) {
      const byte = bytes[(i * d + c) >> 1];
      row[c] = ((c % 2 ? byte % LEVELS : byte >> 4) / (LEVELS - 1)) * 2 - 1;
    }
    const scale = length / Math.sqrt(dot(row, row));
    return row.map((entry) => entry * scale);
  });
}

export function meanOf(rows) {
  const mean = new Float64Array(rows[0].length);
  for (const row of rows) row.forEach((entry, c) => { mean[c] += entry / rows.length; });
  return mean;
}

export const without = (rows, taken) => rows.map((row) => row.map((entry, c) => entry - taken[c]));

const MEASURES = {
  cosine: { text: "cosine of the angle", of: (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b) || 1), sign: 1 },
  product: { text: "dot product", of: dot, sign: 1 },
  distance: { text: "distance", of: (a, b) => Math.sqrt(dot(a, a) + dot(b, b) - 2 * dot(a, b)), sign: -1 },
};

// How alike one row is to all; the place of each, best first, without the row itself.
export function likeness(rows, at, measure) {
  const values = rows.map((row) => MEASURES[measure].of(rows[at], row));
  const order = values.map((_, i) => i).filter((i) => i !== at);
  order.sort((i, j) => MEASURES[measure].sign * (values[j] - values[i]) || i - j);
  return { values, order };
}

// A word of both languages stands in both lists.
export const ofLanguage = (order, languages, language, count = SHOWN) =>
  order.filter((i) => languages[i] === language || languages[i] === "b").slice(0, count);

export function placeOf(words, typed) {
  const exact = words.indexOf(typed.trim());
  return exact >= 0 ? exact : words.findIndex((word) => word.toLowerCase() === typed.trim().toLowerCase());
}

// Mean and standard deviation of the values of all other words: what is nothing special.
export function usual(values, at) {
  const others = values.filter((_, i) => i !== at);
  const mean = others.reduce((sum, value) => sum + value, 0) / others.length;
  const variance = others.reduce((sum, value) => sum + (value - mean) ** 2, 0) / others.length;
  return { mean, deviation: Math.sqrt(variance) };
}

function neighbourTable(title, head, lang) {
  const body = element("tbody");
  const measured = element("th", { scope: "col", class: "explorer-wide" }, head);
  const table = element(
    "table", { class: "explorer-row-table" }, element("caption", {}, element("b", {}, title)),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "word"), measured)), body,
  );
  const draw = (places, words, values, { share, head: said }) => {
    measured.textContent = said;
    body.replaceChildren(...places.map((i) => {
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", Math.max(0, Math.min(1, share(values[i]))));
      return element(
        "tr", {}, element("th", { scope: "row", lang }, words[i]),
        element("td", {}, bar, element("span", { class: "explorer-weight" }, written(values[i]))),
      );
    }));
  };
  return { table, draw };
}

const FIELD = "width:100%;font:inherit;color:var(--ink);background:var(--ground);padding:0.25rem 0.4rem;"
  + "border:1px solid color-mix(in srgb, var(--ink) 45%, var(--ground));border-radius:6px";
const SIDE_BY_SIDE = "display:grid;gap:1rem 2rem;margin-top:0.9rem;"
  + "grid-template-columns:repeat(auto-fit,minmax(min(100%,14rem),1fr))";

function wordField({ words, value, change }) {
  const id = newId("word");
  const list = newId("words");
  const input = element("input", {
    id, list, value, style: FIELD, autocomplete: "off", spellcheck: "false", "data-lm-suppress-shortcuts": "true",
    input: () => change(input.value),
  });
  const row = element(
    "div", { class: "explorer-select" }, element("label", { for: id }, `A word of the ${words.length}, English or Dutch`),
    input, element("datalist", { id: list }, ...[...words].sort().map((word) => element("option", { value: word }))),
  );
  return Object.assign(row, { input });
}

const LANGUAGES = { e: "English", d: "Dutch", b: "English and Dutch" };

function render({ model, el }) {
  const data = model.get("data");
  const { words, languages, suggested } = data;
  const { settings, keep } = settingsOf(model);
  const plain = unpack(data);
  const mean = meanOf(plain);
  const centred = without(plain, mean);
  const says = liveRegion();
  const english = neighbourTable("English", "");
  const dutch = neighbourTable("Dutch", "", "nl");

  const draw = () => {
    const at = placeOf(words, settings.word);
    const { values, order } = likeness(settings.centred ? centred : plain, at, settings.measure);
    const { sign, text } = MEASURES[settings.measure];
    const best = values[order[0]];
    const worst = values[order.at(-1)];
    const share = sign > 0 ? (value) => value / Math.max(1e-9, settings.measure === "cosine" ? 1 : best) : (value) => (worst - value) / (worst - best);
    const how = { share, head: text };
    english.draw(ofLanguage(order, languages, "e"), words, values, how);
    dutch.draw(ofLanguage(order, languages, "d"), words, values, how);
    const { mean: middle, deviation } = usual(values, at);
    says.replaceChildren(
      element("b", {}, `The nearest row to that of “${words[at]}” (${LANGUAGES[languages[at]]}) is “${words[order[0]]}”, at ${written(best)}`),
      `. Over all other words the ${text} is ${written(middle)} on average, with a standard deviation of ${written(deviation)}.`,
    );
  };

  const choose = (typed) => {
    const at = placeOf(words, typed);
    if (at < 0) {
      says.textContent = typed.trim() ? `“${typed.trim()}” is no row of its own here: it is cut into pieces, or unknown.` : "";
      return;
    }
    settings.word = words[at];
    mark(suggested.indexOf(words[at]));
    draw();
    keep();
  };
  const field = wordField({ words, value: settings.word, change: choose });
  const chips = wordList({ label: "Some words", change: (i) => { field.input.value = suggested[i]; choose(suggested[i]); } });
  chips.offer(suggested, 0);
  // A word that is not among them leaves none of them chosen.
  const mark = (at) => {
    chips.choose(Math.max(0, at));
    if (at < 0) chips.firstChild?.setAttribute("aria-selected", false);
  };
  mark(suggested.indexOf(settings.word));
  const set = (name) => (value) => { settings[name] = value; draw(); keep(); };
  const options = Object.entries(MEASURES).map(([name, { text }]) => [name, text]);
  const controls = element(
    "div", { class: "explorer-controls" }, field, chips,
    choice({ legend: "Compare rows by", options, value: settings.measure, change: set("measure") }),
    toggle({ label: "Take the mean of all words away first", checked: settings.centred, change: set("centred") }),
  );
  furnish(
    el, "Explorer of embeddings", controls,
    element("div", { style: SIDE_BY_SIDE }, english.table, dutch.table), says,
  );
  draw();
}

export default { render };
