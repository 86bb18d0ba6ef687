// The story of the worked example (chapter 11): its stages and matrices in order, what the reader's
// changes make of them, and which numbers follow.

import { backwardPass, firstAdamStep, forwardPass } from "./engine.js";

// --- the story ----------------------------------------------------------------------------------

const attentionOf = (place, rows, keys) => [
  ...["Q", "K", "V", "O"].map((kind) => [`W_${kind}_${place}`, `W_${kind}`]),
  [`Q_${place}`, "Q", `${rows} W_Q`], [`K_${place}`, "K", `${keys} W_K`], [`V_${place}`, "V", `${keys} W_V`],
  ...[1, 2].flatMap((head) => [
    [`scores_${head}_${place}`, `scores ${head}`, `Q Kᵀ / √2, from the columns of head ${head}`],
    [`weights_${head}_${place}`, `weights ${head}`, `softmax of scores ${head}; what is hidden gets 0`],
    [`head_${head}_${place}`, `head ${head}`, `weights ${head} times V, from the columns of head ${head}`],
  ]),
  [`heads_${place}`, "heads", "both heads side by side"], [`output_${place}`, "output", "heads times W_O"],
];
const normOf = (name, result, X, F) => [
  [`gamma_${name}`, "gain γ"], [`beta_${name}`, "bias β"],
  [`sum_${name}`, "sum", `${X} + ${F}`],
  [`sigma_${name}`, "deviation σ", "root of the variance of each row plus ε"],
  [`unit_${name}`, "normalised", "sum minus its mean, over σ, row by row"],
  [result, result, "γ times normalised, plus β"],
];
const networkOf = (place, rows) => [
  [`W_1_${place}`, "W₁"], [`b_1_${place}`, "b₁"], [`W_2_${place}`, "W₂"], [`b_2_${place}`, "b₂"],
  [`before_${place}`, "before ReLU", `${rows} W₁ + b₁`], [`hidden_${place}`, "hidden", "ReLU: negative numbers become 0"],
  [`network_${place}`, "output", "hidden times W₂, plus b₂"],
];

// Each stage with its matrices: the name, what the reader sees, and how it is computed; a matrix
// without a formula is a parameter.
export const STAGES = [
  ["1 English input", [
    ["W_E_X", "W_E (English)"], ["X_embedded", "X_embedded", "the row of each token in W_E"],
    ["PE", "PE", "sines and cosines of the position"], ["X_input", "X_input", "X_embedded + PE"],
  ]],
  ["2 self-attention", attentionOf("E", "X_input", "X_input")],
  ["3 norm", normOf("1_E", "X_1", "X_input", "output")],
  ["4 network", networkOf("E", "X_1")],
  ["5 norm", normOf("2_E", "X_encoder", "X_1", "output")],
  ["6 French input", [
    ["target", "target tokens", "position j reads token j and has to predict token j + 1"],
    ["W_E_Y", "W_E (French)"], ["Y_embedded", "Y_embedded", "the row of each token that is read"],
    ["Y_input", "Y_input", "Y_embedded + PE"],
  ]],
  ["7 masked attention", attentionOf("D", "Y_input", "Y_input")],
  ["8 norm", normOf("1_D", "Y_1", "Y_input", "output")],
  ["9 cross-attention", attentionOf("C", "Y_1", "X_encoder")],
  ["10 norm", normOf("2_D", "Y_2", "Y_1", "output")],
  ["11 network", networkOf("D", "Y_2")],
  ["12 norm", normOf("3_D", "Y_decoder", "Y_2", "output")],
  ["13 output and loss", [
    ["W_output", "W_output"], ["logits", "logits", "Y_decoder W_output"],
    ["probabilities", "probabilities", "softmax of each row of logits"],
    ["losses", "losses", "−ln of the probability of each label"], ["loss", "loss", "mean of the losses"],
  ]],
];

export const placed = new Map(STAGES.flatMap(([stage, matrices], k) =>
  matrices.map(([name, label, formula]) => [name, { stage, number: k, label, formula }])));

// --- what the settings make ---------------------------------------------------------------------

// The example with the reader's changes: [name, row, column, number] for each.
export function changedExample(data, { changes = [], target = null, hidden = true }) {
  const weights = structuredClone(data.weights);
  for (const [name, i, j, value] of changes) {
    if (Array.isArray(weights[name][0])) weights[name][i][j] = value;
    else weights[name][j] = value;
  }
  const tokens = target ?? [...data.decoder_input, data.labels.at(-1)];
  return {
    ...data, weights, tokens,
    source: data.source_tokens.map((_, i) => i),
    read: tokens.slice(0, -1), labels: tokens.slice(1),
    mask: data.source_mask.map((real) => real || !hidden),
  };
}

// Every matrix in all three kinds; null where a kind has none.
export function everything(data, settings) {
  const given = changedExample(data, settings);
  const steps = forwardPass(given);
  const gradients = backwardPass(given, steps);
  return {
    given,
    numbers: { ...given.weights, ...steps, target: given.tokens },
    gradients,
    adam: firstAdamStep(given.weights, gradients, data.adam),
  };
}

// The loss with the weights after Adam's first step.
export const lossAfter = ({ given, adam }) => forwardPass({ ...given, weights: adam }).loss;

// Rows of anything: a list is one row, a number a single cell.
export const rowsOf = (x) => (Array.isArray(x) ? (Array.isArray(x[0]) ? x : [x]) : [[x]]);

const SAME = 1e-12;
export const differs = (a, b) => !(a === b || Math.abs(a - b) <= SAME * (1 + Math.abs(b)));

// Which cells of a matrix are not those of the example; null where a kind has no such matrix.
export function differing(now, before) {
  if (now === undefined || before === undefined) return null;
  const [a, b] = [rowsOf(now), rowsOf(before)];
  return a.map((row, i) => row.map((value, j) => differs(value, b[i][j])));
}

export const count = (cells) => (cells ? cells.flat().filter(Boolean).length : 0);

// How many cells of each matrix follow, in one kind.
export const followers = (now, before, kind) => Object.fromEntries(
  [...placed.keys()].map((name) => [name, count(differing(now[kind][name], before[kind][name]))]),
);

// --- words --------------------------------------------------------------------------------------

// Row and column names of a matrix.
export function axesOf(name, rows, given) {
  const tokens = (ids) => ids.map((id) => given.target_tokens[id]);
  const numbers = (length) => Array.from({ length }, (_, k) => String(k + 1));
  const decoder = /_D$|^Y_|_C$/.test(name) && !/^[KV]_C$/.test(name);
  const [height, width] = [rows.length, rows[0].length];
  if (name === "target") return [["token"], rows[0].map((_, position) => String(position))];
  if (name === "losses") return [["loss"], tokens(given.labels)];
  if (name === "loss") return [["mean"], ["loss"]];
  if (name === "W_E_X") return [given.source_tokens, numbers(width)];
  if (name === "W_E_Y") return [given.target_tokens, numbers(width)];
  if (name === "W_output") return [numbers(height), given.target_tokens];
  if (/^(logits|probabilities)$/.test(name)) return [tokens(given.read), given.target_tokens];
  if (/^W_/.test(name)) return [numbers(height), numbers(width)];
  if (/^(gamma|beta|b_)/.test(name)) return [["all rows"], numbers(width)];
  const rowNames = decoder ? tokens(given.read) : given.source_tokens;
  if (/^sigma/.test(name)) return [rowNames, ["σ"]];
  if (!/^(scores|weights)/.test(name)) return [rowNames, numbers(width)];
  return [rowNames, name.endsWith("_D") ? tokens(given.read) : given.source_tokens];
}

// The tokens with the highest probability at each position.
export const bestTokens = ({ numbers, given }) =>
  numbers.probabilities.map((row) => given.target_tokens[row.indexOf(Math.max(...row))]);
