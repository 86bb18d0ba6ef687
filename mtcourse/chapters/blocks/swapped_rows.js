// Five rows through four functions (chapter 10): which outputs change when two rows are swapped, or
// when one number of a row changes?

import { element, grid, liveRegion, matrix, select, slider, written } from "../../figures/javascript/parts.js";

// --- the functions, in double precision ---------------------------------------------------------

const matmul = (A, B) => A.map((row) =>
  B[0].map((_, j) => row.reduce((sum, value, k) => sum + value * B[k][j], 0)));
const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));
const mean = (row) => row.reduce((sum, value) => sum + value, 0) / row.length;

// FFN(x) = ReLU(x W_1 + b_1) W_2 + b_2, for every row.
export function network(X, { W_1, b_1, W_2, b_2 }) {
  const hidden = matmul(X, W_1).map((row) => row.map((value, k) => Math.max(0, value + b_1[k])));
  return matmul(hidden, W_2).map((row) => row.map((value, k) => value + b_2[k]));
}

const EPSILON = 1e-5; // torch's own

// Each row minus its mean, over the root of its biased variance plus epsilon; gain 1 and bias 0.
export const layerNorm = (X) => X.map((row) => {
  const middle = mean(row);
  const root = Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + EPSILON);
  return row.map((value) => (value - middle) / root);
});

// The wrong axis: mean and variance of each column, over the rows of the sentence.
export const columnNorm = (X) => transpose(layerNorm(transpose(X)));

// One head, without positions and without a mask.
export function attention(X, { W_Q, W_K, W_V }) {
  const root = Math.sqrt(W_Q[0].length);
  const weights = matmul(matmul(X, W_Q), transpose(matmul(X, W_K))).map((scores) => {
    const highest = Math.max(...scores);
    const shares = scores.map((score) => Math.exp((score - highest) / root));
    const sum = shares.reduce((total, share) => total + share, 0);
    return shares.map((share) => share / sum);
  });
  return matmul(weights, matmul(X, W_V));
}

export const FUNCTIONS = [
  ["network", "Position-wise network", network],
  ["layer norm", "Layer normalisation", layerNorm],
  ["attention", "Attention without positions", attention],
  ["norm down the columns", "Norm down the columns (wrong axis)", columnNorm],
];

// --- before and now -----------------------------------------------------------------------------

const SAME = 1e-9; // swapped rows are summed in another order

// Each word's numbers now beside the same word's numbers before, in the order that the rows have now.
function compared(before, now, order) {
  const changed = now.map((row, i) =>
    row.map((value, j) => Math.abs(value - before[order[i]][j]) > SAME));
  const verdicts = changed.map((row, i) =>
    (row.includes(true) ? "changed" : order[i] === i ? "same" : "moved"));
  return { rows: now, changed, verdicts };
}

// order: the word in each place; values: the row of each word. Input first, then each function.
export function comparisons({ rows, weights }, { order, values }) {
  const now = order.map((word) => values[word]);
  return [
    compared(rows, now, order),
    ...FUNCTIONS.map(([, , of]) => compared(of(rows, weights), of(now, weights), order)),
  ];
}

// --- the figure ---------------------------------------------------------------------------------

const SIDE_BY_SIDE = "display: grid; gap: 0.8rem 1.5rem; margin-top: 1rem; "
  + "grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr))";
const COLUMNS = ["1", "2", "3", "4"];

function close(table) {
  table.style.borderSpacing = "1px";
  return table;
}

const renameRows = (table, names) =>
  [...table.tBodies[0].rows].forEach((line, i) => { line.cells[0].textContent = names[i]; });

function fillNumber(cell, { rows, changed, verdicts }, [i, j], { digits, chosen = false }) {
  const kind = changed[i][j] ? "explorer-leak" : verdicts[i] === "moved" ? "explorer-tint" : "";
  cell.textContent = written(rows[i][j], digits);
  cell.className = `${kind}${chosen ? " explorer-chosen" : ""}`.trim();
  cell.style.setProperty("--weight", 0.7);
  cell.style.fontWeight = "400"; // bold would be wider than a narrow screen
}

function outputTable(title, words, current) {
  return close(matrix({
    title, rows: words, columns: [...COLUMNS, "row"],
    fill: (cell, i, j) => {
      if (j < COLUMNS.length) fillNumber(cell, current(), [i, j], { digits: 2 });
      else {
        cell.textContent = current().verdicts[i];
        cell.style.cssText = "background: none; padding-left: 0.2rem; text-align: left";
      }
    },
  }));
}

const quoted = (words) => words.map((word) => `“${word}”`).join(", ");

function saysOf(words, order, [input, ...outputs]) {
  const isMoved = order.some((word, i) => word !== i);
  const isChanged = input.verdicts.includes("changed");
  if (!isMoved && !isChanged) return "The rows are as they were. Swap two of them, or change a number.";
  const changedWords = ({ verdicts }) => order.filter((_, i) => verdicts[i] === "changed").sort().map((word) => words[word]);
  const named = outputs.map((of, k) => {
    const rows = changedWords(of);
    const numbers = of.changed.flat().filter(Boolean).length;
    const which = rows.length === words.length ? `all ${words.length} rows` : rows.length ? quoted(rows) : "no row";
    return `${FUNCTIONS[k][0]}: ${which}${rows.length ? ` (${numbers} numbers)` : ""}`;
  });
  return [
    isMoved ? `The rows are now: ${order.map((word) => words[word]).join(" ")}. ` : "",
    isChanged ? `You changed ${quoted(changedWords(input))}. ` : "",
    `Outputs that changed – ${named.join("; ")}.`,
    isMoved && !isChanged ? " Every output moved with its row." : "",
  ].join("");
}

// Controls, tables and words; keep() stores what the reader changes in settings.
export function swappedRows({ data, settings, keep }) {
  const { words, rows } = data;
  const says = liveRegion();
  let now;
  const chosenName = element("span");
  const input = close(grid({
    title: "Input: choose a number", rows: words, columns: COLUMNS,
    move: (i, j) => choose(i, j),
    fill: (cell, i, j) => {
      const chosen = settings.at[0] === i && settings.at[1] === j;
      fillNumber(cell, now[0], [i, j], { digits: 1, chosen });
    },
  }));
  const outputs = FUNCTIONS.map(([, title], k) => outputTable(title, words, () => now[k + 1]));

  const draw = () => {
    const { order, at, swap } = settings;
    now = comparisons(data, settings);
    const names = order.map((word) => words[word]);
    chosenName.textContent = `Number ${at[1] + 1} of “${names[at[0]]}”`;
    for (const table of [input, ...outputs]) {
      renameRows(table, names);
      table.draw();
    }
    exchange.disabled = swap[0] === swap[1];
    says.textContent = saysOf(words, order, now);
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };
  const number = slider({
    label: chosenName, min: -3, max: 3, step: 0.1, value: settings.values[settings.order[settings.at[0]]][settings.at[1]], show: (value) => written(value, 1),
    change: (value) => {
      const word = settings.order[settings.at[0]];
      set({ values: settings.values.map((row, of) =>
        (of === word ? row.map((old, j) => (j === settings.at[1] ? value : old)) : row)) });
    },
  });
  const follow = () => {
    const [i, j] = settings.at;
    number.input.value = settings.values[settings.order[i]][j];
    number.input.dispatchEvent(new Event("input"));
  };
  const choose = (i, j) => {
    settings.at = [i, j];
    follow();
  };
  const swapWith = (place, label) => select({
    label, options: words.map((word, k) => [String(k), word]), value: String(settings.swap[place]),
    change: (word) => set({ swap: settings.swap.map((of, k) => (k === place ? Number(word) : of)) }),
  });
  const exchange = element("button", {
    type: "button",
    click: () => {
      const [one, other] = settings.swap;
      settings.order = settings.order.map((word) => (word === one ? other : word === other ? one : word));
      follow();
    },
  }, "Swap the two rows");
  const back = element("button", {
    type: "button",
    click: () => {
      Object.assign(settings, { order: words.map((_, k) => k), values: rows });
      follow();
    },
  }, "Start again");
  input.reach(...settings.at);
  draw();
  const selects = element("div", { class: "explorer-columns" }, swapWith(0, "Swap the row of"), swapWith(1, "with the row of"));
  return [
    element(
      "div", { class: "explorer-pair" }, input,
      element("div", { class: "explorer-controls" }, number, selects, element("div", {}, exchange, " ", back)),
    ),
    element("div", { style: SIDE_BY_SIDE }, ...outputs),
    says,
  ];
}
