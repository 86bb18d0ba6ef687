// What the triangle of predictions shows and says (chapter 13), for the settings that are chosen.
// Row t predicts answer t and may see the inputs up to t; both are counted from 1 for the reader.

import { weight, written } from "../../figures/javascript/parts.js";

// The chosen sentence, the run that is shown, the same by the other way, and the chosen cell.
export function viewOf({ sentences }, { sentence, mask, way, at }) {
  const { inputs, answers, masked, open } = sentences[sentence];
  const ways = mask ? masked : open;
  const [t, j] = at.map((place) => Math.min(place, inputs.length - 1));
  const other = ways[way === "pass" ? "prefixes" : "pass"];
  return { inputs, answers, n: inputs.length, mask, way, t, j, run: ways[way], other, trained: masked.pass };
}

// What input j is to row t: "read", "answer" or "later", which it sees only without a mask,
// "hidden" by the mask, or "absent" from a run that reads no more than its prefix.
export function roleOf({ mask, way }, t, j) {
  if (j <= t) return "read";
  if (way === "prefixes") return "absent";
  if (mask) return "hidden";
  return j === t + 1 ? "answer" : "later";
}

export const nameOf = ({ way, t }) => `${way === "pass" ? "Row" : "Run"} ${t + 1}`;

// From 0 to 1; the square root keeps small gradients visible beside large ones.
export function heatOf({ run }) {
  const largest = Math.max(...run.gradients.flat());
  return run.gradients.map((row) => row.map((norm) => Math.sqrt(norm / largest)));
}

// The most probable tokens of a row, [token, rank, probability], and the right one wherever it is.
export function candidatesOf({ run, answers }, t) {
  const best = run.best[t].map((token, k) => [token, k + 1, run.probabilities[t][k]]);
  return run.ranks[t] <= best.length ? best : [...best, [answers[t], run.ranks[t], run.p[t]]];
}

// What each way costs: runs of the model, and positions that it computes in all of them.
export const costOf = (n, way) =>
  (way === "pass" ? { runs: 1, positions: n } : { runs: n, positions: (n * (n + 1)) / 2 });

export const sumOf = (run) => run.log_p.reduce((sum, value) => sum + value, 0);

// In how many rows the two ways differ.
export const differing = ({ run, other }) =>
  run.log_p.filter((value, t) => value !== other.log_p[t]).length;

const probability = ({ answers, run, t }) =>
  `the right token, “${answers[t]}”, probability ${weight(run.p[t], 3)} (log p = ${written(run.log_p[t])}`;

// What the chosen row reads, gives and sends back; what comes first is written bold.
export function rowSays(view) {
  const { inputs, answers, n, mask, way, t, trained } = view;
  if (mask || way === "prefixes") {
    const prefix = inputs.slice(0, t + 1).join(" ");
    return [`${nameOf(view)} reads “${prefix}”.`, ` It gives ${probability(view)}). ${cellSays(view)}`];
  }
  const answer = t + 1 < n ? `its answer “${answers[t]}” is input ${t + 2}` : `its answer “${answers[t]}” is not among them`;
  return [
    `${nameOf(view)} reads all ${n} inputs; ${answer}.`,
    ` It gives ${probability(view)}; with the mask it was ${written(trained.log_p[t])}). ${cellSays(view)}`,
  ];
}

function cellSays(view) {
  const { inputs, t, j, run } = view;
  const input = `input ${j + 1}, “${inputs[j]}”`;
  const norm = run.gradients[t][j];
  const sends = `Its loss sends a gradient of norm ${weight(norm, 3)} to ${input}`;
  return {
    read: `${sends}${norm === Math.max(...run.gradients[t]) ? ", the largest of this row" : ""}.`,
    answer: `${sends}, which is the answer.`,
    later: `${sends}, which comes after the answer.`,
    hidden: `The mask hides ${input}, from this row: the gradient there is exactly 0.`,
    absent: `This run ends before ${input}.`,
  }[roleOf(view, t, j)];
}

// What the chosen way costs, and what the rows add up to.
export function sentenceSays(view) {
  const { n, mask, way, run, other } = view;
  const [pass, prefixes] = [costOf(n, "pass"), costOf(n, "prefixes")];
  const work = `${prefixes.runs} runs and 1 + … + ${n} = ${prefixes.positions} positions`;
  const sum = `The ${n} logarithms add up to ${written(sumOf(run))}`;
  const whole = `${sum}, the log-probability of the sentence.`;
  const singly = `One prefix at a time: ${work}, ${written(prefixes.positions / pass.positions, 1)} times as many as in one pass.`;
  const count = differing(view);
  if (mask && way === "pass") {
    return [
      `One pass: ${pass.runs} run of the model, ${pass.positions} positions.`,
      ` ${whole} One prefix at a time takes ${work}. ${compared(count, n)}`,
    ];
  }
  if (mask) return [singly, ` ${whole} ${compared(count, n)}`];
  const leak = `${compared(count, n)}${count ? " So these rows have read tokens to their right." : ""}`;
  if (way === "prefixes") {
    return [singly, ` No run reads its answer, even without a mask. ${sum}; in one pass it was ${written(sumOf(other))}. ${leak}`];
  }
  const rows = n > 2 ? `rows 1 to ${n - 1} read their own answers` : "row 1 reads its own answer";
  return [
    `Without the mask the loss means nothing: ${rows}.`,
    ` ${sum}, which is not the log-probability of the sentence. One prefix at a time gives ${written(sumOf(other))}. ${leak}`,
    " This model was trained with the mask and has not learnt to use the answers; a model trained without it learns to copy them.",
  ];
}

const compared = (count, n) => (count === 0
  ? "Both ways give the same log-probabilities."
  : `The two ways differ in ${count} of ${n} rows.`);
