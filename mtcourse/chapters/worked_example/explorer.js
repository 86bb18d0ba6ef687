// Document B's example with numbers to change (chapter 11): everything that depends on a number
// follows, from its own matrix to the loss, the gradients and Adam's first step.

import {
  choice, element, furnish, grid, liveRegion, newId, select, settingsOf, toggle, wordList, written,
} from "../../figures/javascript/parts.js";
import { subscripted } from "../../figures/javascript/subscripts.js";
import {
  STAGES, axesOf, bestTokens, differing, differs, everything, followers, lossAfter, placed, rowsOf,
} from "./story.js";

// --- words --------------------------------------------------------------------------------------

// Short enough for a cell. "0" is nothing at all, and however small a number is, it is not written as 0.
export function short(value) {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 0.0005 || !Number.isFinite(size)) return written(value, size < 0.0995 ? 3 : 2);
  const [digit, power] = value.toExponential(0).split("e");
  return `${digit.replace("-", "−")}e${power.replace("-", "−")}`;
}

const long = (value) => (Number.isInteger(value) ? written(value, 0)
  : Math.abs(value) < 1e-4 ? value.toExponential(2).replaceAll("-", "−") : written(value, 4));

const plural = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const KINDS = { numbers: "numbers", gradients: "gradients of the loss", adam: "after Adam’s first step" };
const DIFFER = {
  numbers: ["number differs", "numbers differ"], gradients: ["gradient differs", "gradients differ"],
  adam: ["updated weight differs", "updated weights differ"],
};
const STEP = 0.1;
const LIMIT = 100;

// --- the explorer -------------------------------------------------------------------------------

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const before = everything(data, {});
  let now;

  const stages = wordList({ label: "Stage", change: (k) => set({ matrix: STAGES[k][1][0][0] }) });
  const matrices = wordList({
    label: "Matrix",
    change: (k) => set({ matrix: STAGES[placed.get(settings.matrix).number][1][k][0] }),
  });
  const place = element("div", {
    class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "The matrix",
  });
  const about = element("p", { class: "explorer-readout" });
  const editor = editorOf({ set: change, back: () => change(null), token: changeToken });
  const says = liveRegion();
  let table;

  function set(changed) {
    const moved = "matrix" in changed && changed.matrix !== settings.matrix;
    Object.assign(settings, changed, moved ? { row: 0, column: 0 } : {});
    compute();
    if (moved || "show" in changed || !table) build();
    draw();
    keep();
  }

  function change(value) {
    const { matrix, row, column } = settings;
    const others = settings.changes.filter(([name, i, j]) => !(name === matrix && i === row && j === column));
    const own = rowsOf(data.weights[matrix])[row][column];
    const gone = value === null || value === own;
    set({ changes: gone ? others : [...others, [matrix, row, column, value]] });
  }

  function changeToken(id) {
    const tokens = [...now.given.tokens];
    tokens[settings.column] = id ?? before.given.tokens[settings.column];
    const same = tokens.every((token, k) => token === before.given.tokens[k]);
    set({ target: same ? null : tokens });
  }

  const compute = () => { now = everything(data, settings); };

  // Another matrix or kind: another table.
  function build() {
    const { matrix, show } = settings;
    const rows = rowsOf(now.numbers[matrix]);
    settings.row = Math.min(settings.row, rows.length - 1);
    settings.column = Math.min(settings.column, rows[0].length - 1);
    const [rowNames, columnNames] = axesOf(matrix, rows, now.given);
    const values = now[show][matrix];
    table = values === undefined ? null : grid({
      title: "", rows: rowNames, columns: columnNames,
      move: (row, column) => { Object.assign(settings, { row, column }); draw(); keep(); },
      fill: (cell, i, j) => fillCell(cell, i, j, table.shown),
    });
    place.replaceChildren(table ?? element("p", {}, missing(matrix, show)));
    if (table) table.reach(settings.row, settings.column);
  }

  function draw() {
    const { matrix, show } = settings;
    const counts = followers(now, before, show);
    const { number, formula, label } = placed.get(matrix);
    stages.offer(STAGES.map(([name, of]) => marked(name, of.filter(([one]) => counts[one]).length, of.length)), number);
    matrices.offer(
      STAGES[number][1].map(([one, text]) => marked(text, counts[one], rowsOf(now.numbers[one]).flat().length)),
      STAGES[number][1].findIndex(([one]) => one === matrix),
    );
    if (table) {
      table.shown = shownOf();
      table.draw();
      const size = `${rowsOf(now.numbers[matrix]).length} × ${rowsOf(now.numbers[matrix])[0].length}`;
      table.say(...subscripted(`${label}, ${size}`));
    }
    about.replaceChildren(element("b", {}, ...subscripted(label)), ...subscripted(captionOf(formula, matrix, show)));
    editor.draw(cellOf());
    says.replaceChildren(...effectOf(now, before, settings));
  }

  const shownOf = () => {
    const { matrix, show, row, column } = settings;
    return {
      values: rowsOf(now[show][matrix]), before: rowsOf(before[show][matrix]),
      differ: differing(now[show][matrix], before[show][matrix]),
      own: new Set(settings.changes.filter(([name]) => name === matrix).map(([, i, j]) => `${i},${j}`)),
      tokens: matrix === "target" ? now.given.target_tokens : null, row, column,
    };
  };

  const cellOf = () => {
    const { matrix, row, column } = settings;
    const at = (of) => (of === undefined ? undefined : rowsOf(of)[row][column]);
    const [rowNames, columnNames] = axesOf(matrix, rowsOf(now.numbers[matrix]), now.given);
    return {
      matrix, place: `${placed.get(matrix).label}, row ${rowNames[row]}, column ${columnNames[column]}`,
      column, value: at(now.numbers[matrix]), was: at(before.numbers[matrix]),
      gradient: at(now.gradients[matrix]), after: at(now.adam[matrix]),
      isWeight: matrix in data.weights, tokens: data.target_tokens,
    };
  };

  const reset = element("button", {
    type: "button", click: () => { set({ changes: [], target: null, hidden: true }); hide.input.checked = true; },
  }, "Reset everything");
  const hide = toggle({
    label: "hide <PAD>", checked: settings.hidden, change: (hidden) => set({ hidden }),
  });
  hide.input = hide.querySelector("input");
  furnish(
    el, "Explorer of the worked example",
    element(
      "div", { class: "explorer-controls" },
      element("div", {}, labelled("Stage, and how many of its matrices differ from the example"), stages),
      element("div", {}, labelled("Matrix, and how many of its numbers differ"), matrices),
      element(
        "div", { class: "explorer-columns" },
        choice({ legend: "Show", options: Object.entries(KINDS), value: settings.show, change: (show) => set({ show }) }),
        element("div", {}, hide, reset),
      ),
    ),
    about, place, editor, says,
  );
  set({});
}

const labelled = (text) => element("p", { class: "explorer-label" }, text);

// What a word of a list shows when numbers of it follow.
function marked(text, differ, all) {
  if (!differ) return element("span", {}, ...subscripted(text));
  return element(
    "span", {}, ...subscripted(text), "\u00a0",
    element("b", { "aria-hidden": "true" }, differ === all ? "all" : String(differ)),
    element("span", { class: "explorer-unseen" }, `(${differ} of ${all} differ)`),
  );
}

function fillCell(cell, i, j, { values, before, differ, own, tokens, row, column }) {
  const value = values[i][j];
  cell.textContent = tokens ? tokens[value] : short(value);
  cell.classList.toggle("explorer-follows", differ[i][j]);
  cell.classList.toggle("explorer-leak", own.has(`${i},${j}`) || (tokens !== null && differ[i][j]));
  cell.classList.toggle("explorer-chosen", i === row && j === column);
  cell.setAttribute("aria-selected", i === row && j === column);
  cell.title = differ[i][j] && !tokens ? `was ${long(before[i][j])}` : "";
}

const missing = (matrix, show) => (show === "adam"
  ? "Adam changes parameters only. This matrix is computed from them."
  : matrix === "target" ? "Tokens have no gradient." : "The backward pass computes no gradient of this one by itself.");

const captionOf = (formula, matrix, show) => {
  if (show === "gradients") return ": by how much the loss rises for each unit that a number rises";
  if (show === "adam") return ": after the first step, with the gradients as they are now";
  if (matrix === "target") return `: ${formula}`;
  return formula ? ` = ${formula}` : ": a parameter; choose a number and change it";
};

// The chosen cell, and inputs to change it where it can be changed.
function editorOf({ set, back, token }) {
  const id = newId("number");
  const label = element("label", { for: id });
  const input = element("input", {
    type: "number", id, step: "any", min: -LIMIT, max: LIMIT, class: "explorer-number",
    "data-lm-suppress-shortcuts": "true",
    change: () => {
      const value = Number.parseFloat(input.value);
      if (Number.isFinite(value)) set(Math.max(-LIMIT, Math.min(LIMIT, value)));
    },
  });
  const by = (step) => () => set(Math.round((Number.parseFloat(input.value) + step) * 1e6) / 1e6);
  const button = (text, click, name) => element("button", { type: "button", click, "aria-label": name }, text);
  const undo = button("put back", () => back(), "put back this number");
  const numbers = element(
    "div", { class: "explorer-editor" }, label,
    element("span", {}, button("−0.1", by(-STEP), "lower by 0.1"), " ", input, " ", button("+0.1", by(STEP), "raise by 0.1"), " ", undo),
  );
  const tokens = select({ label: "", options: [], value: "", change: (value) => token(Number(value)) });
  const about = element("p", { class: "explorer-readout" });
  const box = element("div", { class: "explorer-cell" }, numbers, tokens, about);

  const draw = (cell) => {
    numbers.hidden = !cell.isWeight;
    tokens.hidden = cell.matrix !== "target";
    if (cell.isWeight) {
      label.replaceChildren(...subscripted(cell.place));
      input.value = String(cell.value);
      undo.disabled = cell.value === cell.was;
    }
    if (cell.matrix === "target") {
      tokens.querySelector("label").textContent = `Token at position ${cell.column}`;
      tokens.offer(cell.tokens.map((text, k) => [String(k), text]), String(cell.value));
    }
    about.replaceChildren(...aboutCell(cell));
  };
  return Object.assign(box, { draw });
}

function aboutCell({ matrix, place, value, was, gradient, after, isWeight, tokens }) {
  if (matrix === "target") return [value === was ? "As in the example." : `In the example: ${tokens[was]}.`];
  const parts = [isWeight ? `It is ${long(value)}` : `${place}: ${long(value)}`];
  if (differs(value, was)) parts.push(`, and ${long(was)} in the example`);
  parts.push(".");
  if (gradient !== undefined) parts.push(` Its gradient is ${long(gradient)}.`);
  if (after !== undefined) parts.push(` Adam’s first step would make it ${long(after)}.`);
  return parts.flatMap(subscripted);
}

// What the changes do as a whole.
export function effectOf(now, before, { changes, target, hidden, show }) {
  const made = [
    changes.length && plural(changes.length, "number", "numbers"),
    target && "the target", !hidden && "the mask",
  ].filter(Boolean);
  const [tokens, own] = [bestTokens(now), bestTokens(before)];
  const best = tokens.flatMap((token, k) => [k ? " " : "", token === own[k] ? token : element("b", {}, token)]);
  const loss = `Loss ${long(now.numbers.loss)}`;
  const step = show === "adam" ? `After Adam’s first step it is ${long(lossAfter(now))}. ` : "";
  if (!made.length) {
    return [`This is the example: nothing is changed. ${loss}. ${step}Most probable at each position: `, ...best];
  }
  const counts = Object.entries(followers(now, before, show)).filter(([, of]) => of);
  const cells = counts.reduce((total, [, of]) => total + of, 0);
  return [
    `You changed ${made.join(" and ")}. ${plural(cells, ...DIFFER[show])} from the example, in `,
    `${plural(counts.length, "matrix", "matrices")}. `,
    `${loss}, and ${long(before.numbers.loss)} in the example. ${step}Most probable at each position: `, ...best,
  ];
}

export default { render };
