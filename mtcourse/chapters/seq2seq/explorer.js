// A translator whose cross-attention is changed (chapter 17): which Dutch words survive, what is
// written in their place, and did the weights tell which English words each of them needs?

import {
  choice, element, furnish, liveRegion, select, settingsOf, wordList,
} from "../../figures/javascript/parts.js";

const CHANGES = [
  ["nothing", "nothing"],
  ["uniform", "uniform: all weights equal"],
  ["permuted", "permuted: a random order"],
  ["largest", "largest weight taken away"],
  ["hidden", "one English word hidden"],
];

// Under which name a change stands in the data.
export function keyOf({ change, layer, draw, source }) {
  if (change === "nothing") return change;
  const which = { permuted: [draw], hidden: [source] }[change] ?? [];
  return [change, ...which, layer].join(" ");
}

const isMark = (word) => !/[\p{L}\p{N}]/u.test(word);
export const kindOf = (word, isFunction) =>
  (isMark(word) ? "mark" : isFunction ? "function word" : "content word");

// How many words of a kind there are, and how many of them the translator would still write.
function countOf(target, other, isCounted) {
  const places = target.map((_, j) => j).filter(isCounted);
  return { kept: places.filter((j) => !(j in other)).length, all: places.length };
}

// The word that a change takes most probability from; the first one where nothing is changed.
export function mostHarmed({ sentences }, settings) {
  const { changed } = sentences[settings.sentence];
  const { p } = changed[keyOf(settings)];
  const lost = changed.nothing.p.map((before, j) => before - p[j]);
  return lost.indexOf(Math.max(...lost));
}

// What the settings choose.
export function viewOf({ sentences, layers }, settings) {
  const { source, target, function: isFunction, links, maps, changed } = sentences[settings.sentence];
  const word = Math.min(settings.word, target.length - 1);
  const { p, other, free } = changed[keyOf(settings)];
  return {
    source, target, word, p, other, free,
    kinds: target.map((of, j) => kindOf(of, isFunction[j])),
    before: changed.nothing,
    closed: countOf(target, other, (j) => isFunction[j]),
    open: countOf(target, other, (j) => !isFunction[j]),
    linked: links.filter(([, j]) => j === word).map(([i]) => i),
    layers: maps.map(({ weights, norms }, layer) => ({
      name: layers[layer],
      columns: [weights.writes, norms.writes, weights.reads, norms.reads].map((rows) => rows[word]),
      left: source.map((_, i) => {
        const hidden = changed[keyOf({ change: "hidden", source: i, layer })];
        return { p: hidden.p[word], other: hidden.other[word] };
      }),
    })),
  };
}

const percent = (p) => (p < 1 ? "<1%" : `${p}%`);
const unseen = (text) => element("span", { class: "explorer-unseen" }, text);
const instead = (other) => (other === "<eos>" ? "end the sentence" : `write “${other}”`);

// In the colour of the text, which differs where the word is chosen.
const BAR = "display: block; height: 0.3rem; border-radius: 3px; opacity: 0.8; "
  + "background: linear-gradient(to right, currentColor var(--at), color-mix(in srgb, currentColor 15%, transparent) 0)";

// A Dutch word with the probability that it keeps; content words are bold.
function chip({ target, kinds, p, other }, j) {
  const weight = kinds[j] === "content word" ? 700 : 400;
  const lost = j in other;
  return element(
    "span", { style: "display: block; text-align: center; overflow-wrap: anywhere; font-variant-numeric: tabular-nums" },
    element("span", { style: `font-weight: ${weight}` }, target[j]), unseen(`, ${kinds[j]}, `),
    element("span", { style: "display: block; font-size: 0.85em" }, percent(p[j])),
    element("span", { style: `${BAR}; --at: ${p[j]}%`, "aria-hidden": "true" }),
    ...(lost ? [unseen(", now "), element("span", { style: "display: block; font-size: 0.85em" }, `→ ${other[j]}`)] : []),
  );
}

function changeSays(view, settings, { layers, draws }) {
  const { closed, open, free, before } = view;
  if (settings.change === "nothing") return ["Nothing is changed. The translator writes: ", element("b", {}, free)];
  const what = {
    uniform: "The weights are uniform",
    permuted: `The weights are permuted (draw ${settings.draw + 1} of ${draws})`,
    largest: "The largest weight of each row is taken away",
    hidden: `“${view.source[settings.source]}” is hidden`,
  }[settings.change];
  return [
    `${what}, in ${layers[settings.layer]}. The translator would still write ${closed.kept} of ${closed.all} function words and marks, `
      + `and ${open.kept} of ${open.all} content words. Left to itself, it writes `,
    ...(free === before.free ? ["the same sentence: ", free] : [element("b", {}, free || "nothing"), ` – unchanged: ${before.free}`]),
  ];
}

const named = (words) => words.map((word) => `“${word}”`).join(" and ") || "no word";
const largest = (row, source) => source[row.indexOf(Math.max(...row))];
const most = ({ source, layers }, column) =>
  layers.map(({ name, columns }) => `“${largest(columns[column], source)}” (${name})`).join(" and ");

function wordSays(view, changed) {
  const { source, target, word, kinds, p, other, before, linked } = view;
  const now = changed ? ` unchanged, ${percent(p[word])} now` : "";
  return [
    element("b", {}, `“${target[word]}” (${kinds[word]}): probability ${percent(before.p[word])}${now}`),
    word in other ? `; the translator would ${instead(other[word])} instead. ` : ". ",
    `The grammar links it with ${named(linked.map((i) => source[i]))}. In the unchanged translator, the row that writes it `
      + `gives most weight to ${most(view, 0)}, the row that reads it to ${most(view, 2)}.`,
  ];
}

const HEADS = ["weight", "× norm", "weight", "× norm", "kept if hidden"];
const corner = () => element("td", { class: "explorer-corner" });

// The rows of the chosen word in one layer, and the probability that it keeps if an English word is hidden.
function tableOf({ source, linked }, { name, columns, left }) {
  const head = element(
    "thead", {},
    element(
      "tr", {}, corner(),
      element("th", { colspan: 2, scope: "colgroup" }, "writes"), element("th", { colspan: 2, scope: "colgroup" }, "reads"), corner(),
    ),
    element("tr", {}, corner(), ...HEADS.map((text) => element("th", { scope: "col" }, element("span", {}, text)))),
  );
  const lines = source.map((word, i) => {
    const isLinked = linked.includes(i);
    const shares = columns.map((row) => element(
      "td", { class: `explorer-tint${isLinked ? " explorer-chosen" : ""}`, style: `--weight: ${row[i] / 100}`, title: percent(row[i]) },
      row[i] < 1 ? "" : String(row[i]),
    ));
    const { p, other } = left[i];
    const title = other === undefined ? percent(p) : `${percent(p)}: the translator would ${instead(other)}`;
    return element(
      "tr", {},
      element("th", { scope: "row" }, isLinked ? element("b", {}, word) : word, ...(isLinked ? [unseen(" (linked)")] : [])),
      ...shares,
      element(
        "td", { class: other === undefined ? "" : "explorer-leak", title }, p < 1 ? "<1" : String(p),
        ...(other === undefined ? [] : [unseen(`: the translator would ${instead(other)}`)]),
      ),
    );
  });
  return element(
    "table", { class: "explorer-matrix explorer-turned" }, element("caption", {}, name[0].toUpperCase() + name.slice(1)),
    head, element("tbody", {}, ...lines),
  );
}

function controlsOf(data, settings, set) {
  const numbered = (texts) => texts.map((text, k) => [String(k), text]);
  const number = (name) => (value) => set({ [name]: Number(value) });
  const hide = wordList({ label: "The English word that is hidden", change: number("source") });
  const again = element("button", {
    type: "button", click: () => set({ draw: (settings.draw + 1) % data.draws }),
  }, "Draw other orders");
  const hidden = element("div", { style: "flex: 1 1 14rem" }, element("p", { class: "explorer-label", style: "margin: 0" }, "Hidden"), hide);
  const drawn = element("div", {}, again);
  const where = choice({ legend: "Where", options: numbered(data.layers), value: String(settings.layer), change: number("layer") });
  const offer = () => hide.offer(data.sentences[settings.sentence].source, settings.source);
  const show = () => {
    where.disabled = settings.change === "nothing";
    hidden.hidden = settings.change !== "hidden";
    drawn.hidden = settings.change !== "permuted";
  };
  const controls = element(
    "div", { class: "explorer-controls" },
    select({
      label: "Sentence", options: numbered(data.sentences.map(({ text }) => text)), value: String(settings.sentence),
      change: number("sentence"),
    }),
    element(
      "div", { style: "display: flex; flex-wrap: wrap; gap: 0.6rem 2.5rem" },
      choice({ legend: "Change of the cross-attention", options: CHANGES, value: settings.change, change: (change) => set({ change }) }),
      where, hidden, drawn,
    ),
  );
  return { controls, offer, show };
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const ofSentence = liveRegion();
  const ofWord = liveRegion();
  const list = wordList({ label: "Dutch words, with the probability that each keeps", change: (word) => set({ word }) });
  const legend = element("p", { class: "explorer-label" });
  const tables = element("div", {
    class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "Where the Dutch word looks",
  });

  const drawWord = (view) => {
    legend.textContent = `Where “${view.target[view.word]}” looks, in per cent: the unchanged row that writes it, and the row that reads it. `
      + "Empty cells: less than 1. Frames: links of the grammar. Orange: hide this English word in this layer alone, and another word is written.";
    tables.replaceChildren(element("div", { class: "explorer-flow", style: "justify-content: flex-start; margin: 0; gap: 0.8rem 2.5rem" },
      ...view.layers.map((layer) => tableOf(view, layer))));
    ofWord.replaceChildren(...wordSays(view, settings.change !== "nothing"));
  };
  const draw = () => {
    const view = viewOf(data, settings);
    settings.word = view.word;
    list.offer(view.target.map((_, j) => chip(view, j)), view.word);
    [...list.children].forEach((option, j) => {
      option.style.borderRadius = "8px";
      if (j in view.other) option.style.border = "2px solid var(--warning)";
    });
    ofSentence.replaceChildren(...changeSays(view, settings, data));
    drawWord(view);
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("sentence" in changes) {
      settings.source = Math.min(settings.source, data.sentences[settings.sentence].source.length - 1);
      settings.word = mostHarmed(data, settings);
      controls.offer();
    }
    controls.show();
    if ("word" in changes) drawWord(viewOf(data, settings));
    else draw();
    keep();
  };
  const controls = controlsOf(data, settings, set);
  // Moves alone: when words are drawn anew below a mouse that rests, nothing was pointed at.
  list.addEventListener("pointermove", (event) => {
    const word = [...list.children].indexOf(event.target.closest("[role=option]"));
    if (event.pointerType !== "mouse" || word < 0 || word === settings.word) return;
    list.choose(word);
    set({ word });
  });

  furnish(
    el, "Explorer of changed attention", controls.controls,
    element("p", { class: "explorer-label" },
      "The translator is made to write this translation. Under each word: the probability that it keeps; after an arrow: what "
        + "the translator would write instead. ", element("b", {}, "Bold"), ": content words."),
    list, ofSentence, legend, tables, ofWord,
  );
  controls.offer();
  controls.show();
  draw();
}

export default { render };
