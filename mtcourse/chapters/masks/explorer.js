// Build a mask and see what it lets through (chapter 5): scores, mask and weights of one sentence in
// a padded batch. All sums are rounded to float32, as torch rounds them, so leaks are as large.

import {
  choice, element, furnish, grid, liveRegion, matrix, settingsOf, slider, toggle, weight, written,
} from "../../figures/javascript/parts.js";

const single = Math.fround;

// True where query i may attend to key j. real: which positions are no padding; flipped: "i,j" of
// the cells that the reader has turned round.
export const allowedOf = (real, { causal, padding, flipped = [] }) =>
  real.map((_, i) => real.map((isReal, j) =>
    ((!causal || j <= i) && (!padding || isReal)) !== flipped.includes(`${i},${j}`)));

// A sentence of this length in a row of n positions, padded on the right or on the left.
export const realPositions = (n, length, side) =>
  Array.from({ length: n }, (_, j) => (side === "right" ? j < length : j >= n - length));

// What the softmax is given. how "add": value is added to hidden scores; "replace": it takes their
// place; "multiply": scores are multiplied by 0 or 1. inside: before the division by sqrt(d_k).
export function maskedScores(products, allowed, { d_k, how, value, inside }) {
  const root = single(Math.sqrt(d_k));
  const masked = (score, isAllowed) => {
    if (how === "multiply") return isAllowed ? score : 0;
    if (isAllowed) return score;
    return how === "add" ? single(score + single(value)) : single(value);
  };
  return products.map((row, i) => row.map((product, j) => {
    const isAllowed = allowed[i][j];
    return inside
      ? single(masked(single(product), isAllowed) / root)
      : masked(single(single(product) / root), isAllowed);
  }));
}

// softmax as it stands: a row of nothing but -Infinity is 0/0.
export function bareSoftmax(scores) {
  const highest = Math.max(...scores);
  const shares = scores.map((score) => single(Math.exp(single(score - highest))));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => single(share / sum));
}

// zeros: a row that may attend to nothing gives nothing.
export const maskedWeights = (products, allowed, how) =>
  maskedScores(products, allowed, how).map((row, i) =>
    how.zeros && !allowed[i].includes(true) ? row.map(() => 0) : bareSoftmax(row));

// What reaches hidden keys: the rows that leak, the weight in all, and the rows that are NaN.
export function leaks(weights, allowed) {
  const perRow = weights.map((row, i) =>
    row.reduce((sum, share, j) => sum + (allowed[i][j] || Number.isNaN(share) ? 0 : share), 0));
  return {
    rows: perRow.filter((leak) => leak > 0).length,
    total: perRow.reduce((sum, leak) => sum + leak, 0),
    nan: weights.filter((row) => row.some(Number.isNaN)).length,
  };
}

const finite = (power) => -(10 ** power);
const valueOf = ({ infinite, power }) => (infinite ? -Infinity : finite(power));
const PAD = "<pad>";

// The words of a sentence of so many positions: it is cut, and still ends in <eos>.
function wordsOf(words, real) {
  const length = real.filter(Boolean).length;
  const present = length ? [...words.slice(0, length - 1), words[words.length - 1]] : [];
  return real.map((isReal) => (isReal ? present.shift() : PAD));
}

function sentenceOf({ rows, total, nan }, empty, n) {
  const parts = [];
  if (nan) parts.push(element("b", {}, `${nan} of ${n} rows ${nan === 1 ? "is" : "are"} NaN`), ": nothing but −∞ in the softmax is 0/0. ");
  else if (empty) parts.push(`${empty} of ${n} rows may attend to nothing. `);
  if (rows) parts.push(element("b", {}, `A weight of ${weight(total, 4)} leaks to hidden keys`), ` in all, in ${rows} of ${n} rows.`);
  else parts.push(nan ? "No weight leaks elsewhere." : "No weight leaks: every hidden key gets exactly 0.");
  return parts;
}

function render({ model, el }) {
  const { words, products, d_k } = model.get("data");
  const n = words.length;
  const { settings, keep } = settingsOf(model);
  const place = element("div", { class: n > 5 ? "explorer-flow" : "explorer-flow explorer-fits" });
  const readout = element("p", { class: "explorer-readout" });
  const says = liveRegion();
  let at = [0, 0];
  let tables;

  const draw = () => {
    const real = realPositions(n, settings.length, settings.side);
    const allowed = allowedOf(real, settings);
    const how = { d_k, ...settings, value: valueOf(settings) };
    const everything = allowed.map((row) => row.map(() => true));
    const given = how.inside ? products : maskedScores(products, everything, how);
    const masked = maskedScores(products, allowed, how);
    const weights = maskedWeights(products, allowed, how);
    const names = wordsOf(words, real);
    tables.show({ names, allowed, given, masked, weights, how, at });
    const [i, j] = at;
    readout.replaceChildren(...cellSentence({ names, allowed, given, masked, weights, i, j }));
    controls.update();
    const empty = allowed.filter((row) => !row.includes(true)).length;
    says.replaceChildren(...sentenceOf(leaks(weights, allowed), empty, n));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };
  const flip = (i, j) => {
    const cell = `${i},${j}`;
    const { flipped } = settings;
    set({ flipped: flipped.includes(cell) ? flipped.filter((of) => of !== cell) : [...flipped, cell] });
  };
  tables = matrices(n, { move: (i, j) => { at = [i, j]; draw(); }, press: flip });
  place.append(...tables.all);
  const controls = controlsOf(n, settings, set);
  furnish(el, "Mask builder", controls, place, readout, says);
  draw();
}

function cellSentence({ names, allowed, given, masked, weights, i, j }) {
  const before = written(given[i][j]);
  const after = written(masked[i][j]);
  return [
    element("b", {}, `${names[i]} → ${names[j]}`),
    allowed[i][j] ? `: allowed, score ${before}; the softmax is given ${after}` : `: hidden, score ${before}; the softmax is given ${after}`,
    `, weight ${Number.isNaN(weights[i][j]) ? "NaN" : weight(weights[i][j], 4)}.`,
  ];
}

const MASK_TEXT = {
  add: (allowed, value) => (allowed ? "0" : written(value, 0)),
  replace: (allowed, value) => (allowed ? "·" : written(value, 0)),
  multiply: (allowed) => (allowed ? "1" : "0"),
};

function matrices(n, { move, press }) {
  const blank = Array.from({ length: n }, () => PAD);
  let now;
  const marked = (cell, i, j, text, kind = "") => {
    cell.textContent = text;
    const hidden = now.allowed[i][j] ? "" : " explorer-hidden";
    const chosen = now.at[0] === i && now.at[1] === j ? " explorer-chosen" : "";
    cell.className = `${kind}${hidden}${chosen}`.trim();
  };
  const scores = matrix({
    title: "scores", rows: blank, columns: blank,
    fill: (cell, i, j) => marked(cell, i, j, written(now.given[i][j], 1)),
  });
  const mask = grid({
    title: "mask", rows: blank, columns: blank, move, press,
    fill: (cell, i, j) => {
      const allowed = now.allowed[i][j];
      marked(cell, i, j, MASK_TEXT[now.how.how](allowed, now.how.value));
      cell.setAttribute("aria-label", `${cell.textContent} ${now.names[j]} ${allowed ? "allowed" : "hidden"}`);
    },
  });
  const weights = matrix({
    title: "weights", rows: blank, columns: blank,
    fill: (cell, i, j) => {
      const share = now.weights[i][j];
      const isNaN = Number.isNaN(share);
      const bad = isNaN || (share > 0 && !now.allowed[i][j]);
      marked(cell, i, j, isNaN ? "NaN" : weight(share), bad ? "explorer-leak" : "explorer-tint");
      cell.style.setProperty("--weight", isNaN ? 0 : share);
    },
  });
  const show = (state) => {
    now = state;
    const { how, inside } = now.how;
    scores.say("Scores Q K", element("sup", {}, "T"), ...(inside ? [] : [" / √", element("i", {}, "d", element("sub", {}, "k"))]));
    mask.say({ add: "Mask, added", replace: "Mask, in their place", multiply: "Mask, multiplied" }[how]);
    weights.say("Weights, after the softmax");
    for (const table of [scores, mask, weights]) {
      rename(table, now.names);
      table.draw();
    }
  };
  return { all: [scores, mask, weights], show };
}

function rename(table, names) {
  [...table.tHead.rows[0].cells].slice(1).forEach((cell, j) => { cell.firstChild.textContent = names[j]; });
  [...table.tBodies[0].rows].forEach((line, i) => { line.cells[0].textContent = names[i]; });
}

function controlsOf(n, settings, set) {
  const hidden = choice({
    legend: "Hidden scores get", value: settings.infinite ? "infinite" : "finite",
    change: (of) => set({ infinite: of === "infinite" }),
    options: [["infinite", "−∞"], ["finite", "the finite value below"]],
  });
  const place = choice({
    legend: "It comes", value: settings.inside ? "inside" : "outside",
    change: (of) => set({ inside: of === "inside" }),
    options: [["outside", "after the division"], ["inside", "before the division"]],
  });
  const power = slider({
    label: "Finite value", min: 0, max: 9, step: 0.25, value: settings.power,
    show: (value) => written(finite(value), value < 2 ? 1 : 0),
    change: (value) => {
      hidden.choose("finite");
      set({ power: value, infinite: false });
    },
  });
  const length = slider({
    label: "Length of the sentence", min: 0, max: n, value: settings.length,
    show: (value) => `${value} of ${n}`, change: (value) => set({ length: value }),
  });
  const back = element("button", { type: "button", click: () => set({ flipped: [] }) }, "Turn all back");
  const kinds = element(
    "div", { class: "explorer-columns" },
    element(
      "div", {},
      toggle({ label: "Causal mask", checked: settings.causal, change: (causal) => set({ causal }) }),
      toggle({ label: "Padding mask", checked: settings.padding, change: (padding) => set({ padding }) }),
      toggle({ label: "Empty rows give zeros", checked: settings.zeros, change: (zeros) => set({ zeros }) }),
    ),
    choice({
      legend: "The mask is", value: settings.how, change: (how) => set({ how }),
      options: [["add", "added to scores"], ["replace", "put in their place"], ["multiply", "multiplied: 0 or 1"]],
    }),
    hidden,
    place,
    choice({
      legend: "Padding stands", value: settings.side, change: (side) => set({ side }),
      options: [["right", "on the right"], ["left", "on the left"]],
    }),
    element(
      "div", {},
      element("p", { class: "explorer-label" }, "Click a cell of the mask to flip it, or press Enter on it."),
      back,
    ),
  );
  const update = () => {
    for (const fieldset of [hidden, place]) fieldset.disabled = settings.how === "multiply";
    power.input.disabled = settings.how === "multiply";
    back.disabled = settings.flipped.length === 0;
  };
  return Object.assign(element("div", { class: "explorer-controls" }, kinds, length, power), { update });
}

export default { render };
