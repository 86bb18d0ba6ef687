// Beams that change places (chapter 14): whose keys and values each beam reads, if the cache is
// reordered with the beams, if it is not, and if a mask of ancestors takes the place of reordering.

import { written } from "../../figures/javascript/parts.js";
import { bytesOf, grouped, SIZE } from "./step_costs.js";

export const WAYS = [
  ["reorder", "reorder the cache"],
  ["forget", "forget to reorder it"],
  ["mask", "mask of ancestors, nothing moves"],
];

export const runOf = ({ right, forgotten }, way) => (way === "forget" ? forgotten : right);

// Where the tokens of a beam were written: its beam at each step from the first to this one.
export function pathOf({ parents }, step, beam) {
  const path = [beam];
  for (let s = step; s > 1; s -= 1) path.unshift(parents[s - 1][path[0]]);
  return path;
}

export const textOf = (run, step, beam) => pathOf(run, step, beam).map((of, k) => run.tokens[k][of]);

// The keys that a beam reads when it continues, after the prompt's: [token, whether it is another
// text's]. Nothing has been computed for its newest token yet.
export function keysOf(run, step, beam, way) {
  const text = textOf(run, step, beam);
  return text.slice(0, -1).map((token, k) => {
    if (way !== "forget") return [token, false];
    const written = textOf(run, k + 1, beam); // by whichever beam had this row then
    return [written.at(-1), written.some((of, i) => of !== text[i])];
  });
}

// The columns of the cache behind the prompt's, of all beams side by side: {step, beam, token}.
export const columnsOf = ({ tokens }, step) =>
  tokens.slice(0, step - 1).flatMap((row, k) => row.map((token, beam) => ({ step: k + 1, beam, token })));

// Whether a column is in a beam's own past.
export const isAncestor = (run, step, beam, column) => pathOf(run, step, beam)[column.step - 1] === column.beam;

// The beams (step, beam) that one of this step's beams continues.
export function kept(run, step) {
  const beams = run.parents[step - 1].map((_, beam) => pathOf(run, step, beam));
  return (s, beam) => beams.some((path) => path[s - 1] === beam);
}

// What the reorder behind a step copies: bytes of keys and values, or entries of the mask.
export function copiedBy({ sizes, beams }, step, way) {
  const B = beams.right.parents[step - 1].length;
  const t = beams.prompt.length + step - 1;
  if (way === "mask") return B * (beams.prompt.length + B * (step - 1));
  return way === "reorder" || step === 1 ? bytesOf(sizes, t, B) : 0;
}

const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

function movesOf({ parents }, step) {
  const moved = parents[step - 1].map((parent, beam) => [parent, beam]).filter(([parent, beam]) => parent !== beam);
  if (step === 1) return "Step 1: the best three tokens begin the three beams.";
  const given = parents[0].map((_, beam) => beam).filter((beam) => !parents[step - 1].includes(beam));
  const who = moved.map(([parent, beam]) => `beam ${beam + 1} continues what was beam ${parent + 1}`);
  const end = given.length ? `; what was beam ${listed(given.map((beam) => beam + 1))} is given up` : "";
  return who.length ? `Step ${step}: ${listed(who)}${end}.` : `Step ${step}: every beam continues itself.`;
}

// What happened at the step, and what it means for the cache; what comes first is written bold.
export function beamSays(data, { beam_step: step, way }) {
  const { sizes, beams } = data;
  const run = runOf(beams, way);
  const B = run.parents[0].length;
  const prompt = beams.prompt.length;
  const t = prompt + step - 1;
  const amount = copiedBy(data, step, way);
  const moves = movesOf(run, step);
  const factors = `2 · ${sizes.L} · ${sizes.h} · ${sizes.d_k} · ${t} · ${B} · ${SIZE}`;
  const bytes = `2 L h d_k T B s = ${factors} = ${grouped(amount)} bytes`;
  if (step === 1 && way !== "mask") {
    return [moves, ` The prompt's row of keys and values is copied for each beam: ${bytes}.`];
  }
  if (way === "reorder") {
    return [
      moves,
      ` The cache follows: each row is now a copy of its parent's row, ${bytes}. `
      + "Every beam reads the keys of its own text.",
    ];
  }
  if (way === "mask") {
    const columns = prompt + B * step;
    return [
      moves,
      ` No key moves: only the mask is reordered, ${B} · ${prompt + B * (step - 1)} = ${grouped(amount)} entries. `
      + `In return each new query meets the columns of all beams: ${columns}, of which ${prompt + step} are its own.`,
    ];
  }
  const wrong = run.parents[0].map((_, beam) => beam)
    .filter((beam) => keysOf(run, step, beam, way).some(([, other]) => other));
  const who = `Beam${wrong.length > 1 ? "s" : ""} ${listed(wrong.map((beam) => beam + 1))}`;
  return [
    moves,
    wrong.length
      ? ` The cache stays as it is. ${who} will read the keys of another text.`
      : " The cache stays as it is. At this step every row still belongs to the text of its beam.",
  ];
}

// How the whole searches ended.
export function resultSays({ right, forgotten }, way) {
  if (way !== "forget") return `The search returns “${right.result}”`;
  const returned = `The search returns “${forgotten.result}”`;
  return right.result === forgotten.result
    ? `${returned}, as it does with a cache that is reordered`
    : `${returned} With a cache that is reordered, it returns “${right.result}”`;
}

export const beamLogP = (run, step, beam) => `log p = ${written(run.log_p[step - 1][beam])}`;
