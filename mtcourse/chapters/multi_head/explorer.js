// A translator whose heads can be switched off (chapter 9), any of them at once and on any sentence:
// what is written then, what does each head of a layer look at, and how much does it add?

import { dotProduct, examined, shownPiece, sliceOf } from "../../figures/javascript/examined.js";
import { ownSentence } from "../../figures/javascript/own_sentence.js";
import {
  element, furnish, KEEPS_KEYS, liveRegion, matrix, newId, select, settingsOf, weight, wordList, written,
} from "../../figures/javascript/parts.js";
import { linear } from "../../figures/javascript/transformer.js";

// --- what heads add -----------------------------------------------------------------------------

const total = (values) => values.reduce((whole, value) => whole + value, 0);
const pairs = (common, kept) =>
  total(common.flatMap((line, j) => line.filter((_, k) => kept[j] && kept[k])));

// common[j][k] is the dot product of what heads j and k add to a token. The share of head j is how
// much of it points the way of the whole sum; the shares of all heads add up to 1.
export function sharesOf(common) {
  const whole = total(common.map(total));
  return common.map((line) => total(line) / whole);
}

// How long the sum of the heads that are kept is, over the sum of all.
export const lengthLeft = (common, kept) =>
  Math.sqrt(Math.max(0, pairs(common, kept)) / pairs(common, kept.map(() => true)));

// A_j W_O^j for each head j and token, from its weights and values; then their dot products.
export function commonOf({ weights, V }, W_O) {
  const h = weights.length;
  return weights[0].map((_, token) => {
    const added = weights.map((rows, j) => {
      const A = new Float32Array(V[0].length); // zero outside the head's own columns
      const own = sliceOf(A, j, h);
      rows[token].forEach((share, n) => sliceOf(V[n], j, h).forEach((value, i) => { own[i] += share * value; }));
      return linear(A, { weight: W_O });
    });
    return added.map((a) => added.map((b) => dotProduct(a, b)));
  });
}

// --- which heads are off ------------------------------------------------------------------------

// A head's name in the book: both numbers count from 1.
export const nameOf = ({ kind, number }, j) => `${kind} ${number + 1}.${j + 1}`;

// What the engine asks: whether head j of a layer is off.
export const offBy = (names) => (kind, number) => (j) => names.includes(nameOf({ kind, number }, j));

// Its translation with all heads, kept while heads are switched on and off.
function wholeOf(translator, text) {
  const { last } = wholeOf;
  if (last?.translator === translator && last.text === text) return last.translation;
  const { translation } = examined(translator, text);
  wholeOf.last = { translator, text, translation };
  return translation;
}

// A sentence as the data hold the stored ones, translated without these heads.
export function runOf(translator, layers, text, off) {
  const found = examined(translator, text, offBy(off));
  const whole = off.length ? wholeOf(translator, text) : found.translation;
  return {
    text, translation: found.translation, whole,
    source: found.sourcePieces.map(shownPiece),
    read: found.readPieces.map(shownPiece),
    layers: layers.map(({ kind, number }) => {
      const of = found[kind][number];
      const block = kind === "encoder" ? "encoder" : "decoder";
      const attention = kind === "cross" ? "cross_attention" : "self_attention";
      const W_O = translator.weights[`${block}.${number}.${attention}.W_O.weight`];
      return { weights: of.weights, common: commonOf(of, W_O) };
    }),
  };
}

// --- two translations ---------------------------------------------------------------------------

// The words of two sentences, [word, whether it is in both in this order]: the longest common
// subsequence.
export function compared(now, whole) {
  const [a, b] = [now, whole].map((text) => text.split(" ").filter(Boolean));
  const longest = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const found = { now: a.map((word) => [word, false]), whole: b.map((word) => [word, false]) };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) found.now[i++][1] = found.whole[j++][1] = true;
    else if (longest[i + 1][j] >= longest[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

const marked = (words, tag) => words.flatMap(([word, same], i) => [i ? " " : "", same ? word : element(tag, {}, word)]);

// --- the picture --------------------------------------------------------------------------------

const SIDES = { encoder: ["source", "source"], decoder: ["read", "read"], cross: ["read", "source"] };

// What the settings choose in a sentence that has been translated.
export function viewOf({ layers }, run, { layer, token, off }) {
  const place = layers[layer];
  const [asks, answers] = SIDES[place.kind];
  const { weights, common } = run.layers[layer];
  const at = Math.min(token, run[asks].length - 1);
  const kept = weights.map((_, j) => !off.includes(nameOf(place, j)));
  return {
    asking: run[asks], answering: run[answers], at, kept,
    names: weights.map((_, j) => nameOf(place, j)),
    rows: weights.map((head) => head[at]),
    shares: sharesOf(common[at]),
    left: lengthLeft(common[at], kept),
  };
}

const percent = (share) => `${written(100 * share, 0)}%`;

function tableOf({ names, answering, asking, at, rows, shares, kept }) {
  const table = matrix({
    title: "", rows: names, columns: ["adds", ...answering],
    fill: (cell, j, i) => {
      if (i === 0) {
        cell.textContent = kept[j] ? percent(shares[j]) : "–";
        return;
      }
      const share = rows[j][i - 1];
      cell.style.setProperty("--weight", kept[j] ? share : 0);
      cell.classList.add("explorer-tint");
      cell.textContent = kept[j] && share >= 0.095 ? written(share, 1) : "";
      cell.title = `${names[j]} gives ${weight(share)} to ${answering[i - 1]}`;
    },
  });
  table.say(`Where “${asking[at]}” looks, and what each head adds`);
  table.draw();
  return table;
}

// A table of switches: a line for each layer, a column for each head.
function switchesOf(layers, h, change) {
  const heads = Array.from({ length: h }, (_, j) => j);
  const boxes = new Map();
  const lines = layers.map((place) => element(
    "tr", {}, element("th", { scope: "row" }, place.name),
    ...heads.map((j) => {
      const name = nameOf(place, j);
      const box = element("input", { type: "checkbox", "aria-label": name, title: name, change: () => change(offNow()), ...KEEPS_KEYS });
      boxes.set(name, box);
      return element("td", {}, element("label", { class: "explorer-switch" }, box));
    }),
  ));
  const offNow = () => [...boxes].filter(([, box]) => !box.checked).map(([name]) => name);
  const head = element("tr", {}, element("td", { class: "explorer-corner" }), ...heads.map((j) => element("th", { scope: "col" }, `head ${j + 1}`)));
  const table = element(
    "table", { class: "explorer-switches" }, element("caption", {}, "A tick means that the head is on."),
    element("thead", {}, head), element("tbody", {}, ...lines),
  );
  const say = (off) => { for (const [name, box] of boxes) box.checked = !off.includes(name); };
  return { table, say, names: [...boxes.keys()] };
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const now = liveRegion();
  now.classList.replace("explorer-says", "explorer-translation");
  const before = element("p", { class: "explorer-muted" });
  const words = wordList({ label: "The token that asks", change: (token) => set({ token }) });
  const place = element("div", {
    class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "Where each head looks",
  });
  const says = liveRegion();
  says.id = newId("heads");
  let run;

  const h = data.sentences[0].layers[0].weights.length;
  const switches = switchesOf(data.layers, h, (off) => own.ask({ off }));
  const none = element("button", { type: "button", click: () => own.ask({ off: [] }) }, "All heads on");
  settings.off = settings.off.filter((name) => switches.names.includes(name));

  const drawTranslation = () => {
    const { off } = settings;
    const texts = compared(run.translation, run.whole);
    const unseen = off.length ? `Without ${off.join(", ")}: ` : "With all heads: ";
    now.replaceChildren(
      element("span", { class: "explorer-unseen" }, unseen),
      element("span", { lang: "nl" }, ...marked(texts.now, "mark")),
    );
    const same = run.translation === run.whole;
    const changed = same ? ["Not a word has changed."] : ["With all heads: ", element("span", { lang: "nl" }, ...marked(texts.whole, "b"))];
    before.replaceChildren(...(off.length ? [`Without ${off.join(", ")}. `, ...changed] : ["With all heads."]));
    const focused = document.activeElement === none;
    none.disabled = off.length === 0;
    switches.say(off);
    if (focused && none.disabled) switches.table.querySelector("input").focus(); // a disabled button keeps no focus
  };
  const draw = () => {
    const view = viewOf(data, run, settings);
    place.replaceChildren(tableOf(view));
    says.textContent = `Of what the layer adds to “${view.asking[view.at]}”, the length is ${percent(view.left)} of the whole.`;
  };
  const offer = () => {
    const view = viewOf(data, run, settings);
    settings.token = view.at;
    words.offer(view.asking, view.at);
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("layer" in changes) offer();
    draw();
    keep();
  };
  const own = ownSentence({
    model, settings, press: "Translate",
    texts: data.sentences.map(({ text }) => text),
    stored: ({ sentence }) => ({ ...data.sentences[sentence], whole: data.sentences[sentence].translation }),
    wants: (asked) => asked.own !== "" || asked.off.length > 0,
    compute: (translator, text, { off }) => runOf(translator, data.layers, text, off),
    show: (shown) => {
      run = shown;
      drawTranslation();
      offer();
      draw();
      keep();
    },
  });

  const layers = select({
    label: "Layer", options: data.layers.map(({ title }, k) => [String(k), title]),
    value: String(settings.layer), change: (value) => set({ layer: Number(value) }),
  });
  const inside = element(
    "details", { open: settings.open, toggle: () => { if (inside.open !== settings.open) set({ open: inside.open }); } },
    element("summary", {}, "Look inside: where the heads look, and what they add"),
    layers, element("p", { class: "explorer-label" }, "The token that asks"), words, place, says,
  );
  furnish(
    el, "A translator whose heads can be switched off",
    element("div", { class: "explorer-controls" }, ...own.parts),
    now, before, element("div", { class: "explorer-scroll", tabindex: "0", role: "group", "aria-label": "Heads that are on" }, switches.table),
    none, inside,
  );
  own.begin();
}

export default { render };
