// What a step of a generation computes (chapter 14): the rows of attention that are new, those that
// are computed again, and the keys and values that come from the cache.

import { weight, written } from "../../figures/javascript/parts.js";
import { costsOf, grouped, millions, stepsOf } from "./step_costs.js";

// The chosen sentence and step: t positions, the last m of them read at this step.
export function viewOf({ sentences, sizes }, { sentence, cached, prefill, step, layer, head, at }) {
  const chosen = sentences[sentence];
  const steps = stepsOf(chosen, prefill);
  const last = Math.min(step, steps.length);
  const n = chosen.inputs.length;
  const costs = costsOf(sizes, steps);
  return {
    ...chosen, n, cached, prefill, sizes, layer, head, steps, step: last, costs,
    ...steps[last - 1], cost: costs[last - 1],
    weights: chosen.weights[layer][head],
    at: [Math.min(at[0], n), Math.min(at[1], n - 1)],
  };
}

// What a row (of queries) is at this step: "new", "again", "earlier" or "later".
export function rowRole({ cached, m, t }, i) {
  if (i >= t) return "later";
  if (i >= t - m) return "new";
  return cached ? "earlier" : "again";
}

// The same of a cell: in the rows that are computed, "masked" if its key is later than its query.
export function cellRole(view, i, j) {
  const role = rowRole(view, i);
  if (j <= i) return role;
  return j < view.t && (role === "new" || role === "again") ? "masked" : "later";
}

// What the key and the value of position j are: "new", "again", "read" from the cache, or "later".
export function keyRole(view, j) {
  const role = rowRole(view, j);
  return role === "earlier" ? "read" : role;
}

export const ROLES = {
  new: "computed now, for the first time",
  again: "computed again",
  read: "read from the cache",
  earlier: "from an earlier step, not needed any more",
  masked: "computed, then hidden by the causal mask",
  later: "not computed yet",
};

// The roles that the matrix shows at this step, in the order of the legend.
export function rolesIn(view) {
  const places = view.inputs.map((_, k) => k);
  const found = new Set([
    ...places.map((j) => keyRole(view, j)),
    ...places.flatMap((i) => places.map((j) => cellRole(view, i, j))),
  ]);
  return Object.keys(ROLES).filter((role) => found.has(role) && role !== "later");
}

const named = (names, k) => `“${names[k]}”`;

// What the chosen cell is, for a reader who points at it.
export function cellSays(view, [row, j]) {
  const { inputs } = view;
  if (row === 0) return `Key and value of ${j + 1}, ${named(inputs, j)}: ${ROLES[keyRole(view, j)]}.`;
  const i = row - 1;
  const role = cellRole(view, i, j);
  const pair = `Query ${i + 1}, ${named(inputs, i)}, key ${j + 1}, ${named(inputs, j)}`;
  const value = j <= i && role !== "later" ? `weight ${weight(view.weights[i][j], 2)}, ` : "";
  return `${pair}: ${value}${ROLES[role]}.`;
}

const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

// What the step reads, predicts and computes; what comes first is written bold.
export function stepSays(view) {
  const { inputs, labels, p, prompt, m, t, step, steps, cached, cost } = view;
  const reads = m > 1
    ? `Step ${step} of ${steps.length}, the prefill, reads the ${m} tokens of the prompt in one pass.`
    : `Step ${step} of ${steps.length} reads ${named(inputs, t - 1)}, position ${t}.`;
  const next = t < prompt
    ? ` The next token is given by the prompt: ${named(labels, t - 1)}.`
    : ` It predicts ${named(labels, t - 1)} with probability ${weight(p[t - 1], 2)}.`;
  const rows = cached
    ? ` With the cache each block computes ${counted(m, "row")}`
      + (t > m ? ` and reads the keys and values of ${counted(t - m, "earlier position")}` : "")
    : ` Without a cache each block computes ${counted(t, "row")}`
      + (t > m ? `, ${t - m} of them again` : "");
  const ratio = cost.now.plain / cost.now.cached;
  const compared = cost.now.plain === cost.now.cached
    ? ": the same number of multiplications either way."
    : `: ${millions(cached ? cost.now.cached : cost.now.plain)} multiplications; `
      + `${cached ? "without the cache" : "with the cache"} it would be `
      + `${millions(cached ? cost.now.plain : cost.now.cached)} (${written(ratio, 1)} times ${cached ? "as many" : "fewer"}).`;
  return [reads, `${next}${rows}${compared}`];
}

// The counter: rows of [name, without cache, with cache].
export function counterOf({ cost, m, t }) {
  return [
    ["rows computed in each block", String(t), String(m)],
    ["multiplications of this step", grouped(cost.now.plain), grouped(cost.now.cached)],
    ["multiplications so far", grouped(cost.sum.plain), grouped(cost.sum.cached)],
    ["bytes that the cache holds", "0", grouped(cost.bytes)],
  ];
}
