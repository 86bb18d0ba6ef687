// A beam search as a tree that grows (chapter 18), on any sentence; and exact search, which proves
// whether the beam found the most probable one.

import { widthOf } from "../../figures/javascript/chart.js";
import { shownPiece } from "../../figures/javascript/examined.js";
import { ownSentence } from "../../figures/javascript/own_sentence.js";
import {
  choice, element, furnish, liveRegion, matrix, newId, select, settingsOf, slider, written,
} from "../../figures/javascript/parts.js";
import { BOS, EOS } from "../../figures/javascript/pieces.js";
import { beamSearch, idsOf, longestTranslation } from "../../figures/javascript/search.js";
import { logSoftmax } from "../../figures/javascript/transformer.js";

const FATES = { dropped: 0, kept: 1, ended: 2 };
const FATE_WORDS = ["dropped", "kept", "ended"];
const MOST_EXPANDED = 1500;
const LONE_SPACE = "\u2581"; // a piece that is nothing but a space
const AT_ONCE = 12; // prefixes between two breaths of the page
const GROWS = 650; // milliseconds for a step

// --- searching ----------------------------------------------------------------------------------

// What beamSearch considered, as the stored trees have it: for each step its candidates, best first,
// [piece, place of the parent in the step before, log-probability, fate].
export function stepsOfTree({ root, hypotheses }, pieceOf) {
  const steps = [];
  const places = new Map([[root, -1]]);
  for (let parents = [root]; parents.length;) {
    const nodes = parents.flatMap((parent) => parent.children).sort((a, b) => b.logProbability - a.logProbability);
    if (!nodes.length) break;
    nodes.forEach((node, rank) => places.set(node, rank));
    steps.push(nodes.map((node) => [pieceOf(node.id), places.get(node.parent), node.logProbability, FATES[node.fate]]));
    parents = nodes.filter((node) => node.fate === "kept");
  }
  const [{ node }] = hypotheses;
  return { steps, won: [node.length - 1, places.get(node)] };
}

// Uniform-cost search. Yields the number of expanded prefixes after each; returns the best sentence,
// and whether it is proved. known: {ids, logProbability} of a sentence that has ended, or null.
export function* proving(step, state, longest, known, most) {
  let best = known;
  let expanded = 0;
  const waiting = [{ ids: [], logProbability: 0, state }];
  while (waiting.length) {
    const first = waiting.reduce((found, one, i) => (one.logProbability > waiting[found].logProbability ? i : found), 0);
    const node = waiting[first];
    waiting[first] = waiting[waiting.length - 1];
    waiting.pop();
    if (best && node.logProbability <= best.logProbability) break; // nothing that waits can win
    if (expanded === most) return { best, proven: false, expanded };
    const read = step(node.ids.at(-1) ?? BOS, node.state);
    const logProbabilities = logSoftmax(read.logits);
    expanded += 1;
    const ended = node.logProbability + logProbabilities[EOS];
    if (!best || ended > best.logProbability) best = { ids: [...node.ids, EOS], logProbability: ended };
    if (node.ids.length + 1 < longest) {
      for (let id = 0; id < logProbabilities.length; id++) {
        const logProbability = node.logProbability + logProbabilities[id];
        if (id !== EOS && logProbability > best.logProbability) waiting.push({ ids: [...node.ids, id], logProbability, state: read.state });
      }
    }
    yield expanded;
  }
  return { best, proven: true, expanded };
}

// A sentence as the stored ones are shown: its tree, its result, and a way to prove it.
export function searchedSentence({ model, source, target, config }, text, { width, exponent }) {
  const ids = [...source.encode(text), EOS];
  const longest = longestTranslation(ids.length, config.max_length);
  const step = (id, state) => model.step(id, state);
  const start = model.start(ids);
  const tree = beamSearch(step, start, longest, { beams: width, lengthPenalty: exponent });
  const { steps, won } = stepsOfTree(tree, (id) => shownPiece(target.pieces[id]));
  const found = tree.hypotheses[0];
  const ended = found.ids.at(-1) === EOS;
  const prove = function* () {
    const proof = yield* proving(step, start, longest, ended ? found : null, MOST_EXPANDED);
    return { text: target.decode(proof.best.ids), logProbability: proof.best.logProbability, expanded: proof.expanded, proven: proof.proven };
  };
  return { text, width, exponent, steps, won, result: target.decode(idsOf(found.node)), logProbability: found.logProbability, prove };
}

// The same of a stored sentence.
export function storedSentence(data, { sentence, width, exponent }) {
  const of = data.sentences[sentence];
  const tree = of.trees[width];
  const { steps, won, text } = tree.ends[data.exponents.indexOf(exponent)];
  return {
    text: of.text, width, exponent, steps: tree.steps.slice(0, steps), won, result: text,
    logProbability: tree.steps[won[0]][won[1]][2], proof: of.proof,
  };
}

// --- what is drawn ------------------------------------------------------------------------------

const COLUMN = 88;
const LINE = 26;
const MARGIN = 46;
const BEFORE = 31; // from where a word begins to the middle of its column

// Steps and ranks from the start to the winner, as "step,rank".
export function wayTo({ steps, won }) {
  const way = new Set();
  for (let [step, rank] = won; step >= 0 && rank >= 0; rank = steps[step][rank][1], step -= 1) way.add(`${step},${rank}`);
  return way;
}

// The prefix of a candidate in words.
export function prefixOf({ steps }, step, rank) {
  const pieces = [];
  for (; step >= 0 && rank >= 0; rank = steps[step][rank][1], step -= 1) pieces.unshift(steps[step][rank][0]);
  const joined = (text, piece) => {
    if (piece.startsWith("·")) return text + piece.slice(1);
    if (/^[.,:;?!]/.test(piece)) return text + piece;
    return `${text && `${text} `}${piece === LONE_SPACE ? "" : piece}`;
  };
  return pieces.reduce(joined, "");
}

const ending = (piece, fate) => (piece === "<eos>" ? (fate === FATES.ended ? "■ end" : "end") : "");

const wordOf = ([piece, , , fate]) => ending(piece, fate) || (piece.length > 9 ? `${piece.slice(0, 8)}…` : piece);

function pictureOf(run, shown, within) {
  const most = Math.max(...run.steps.slice(0, shown).map((nodes) => nodes.length));
  const way = shown === run.steps.length ? wayTo(run) : new Set();
  const height = most * LINE + 26;
  const place = (step, rank) => [MARGIN + 20 + (step + 0.5) * COLUMN, rank < 0 ? 20 + LINE / 2 : 20 + LINE * (rank + 0.5)];
  const endOf = (step, rank) => place(step, rank)[0] - BEFORE + widthOf(wordOf(run.steps[step][rank]), within, "700 13px");
  const lines = [];
  const words = [element("text", { x: 4, y: 20 + LINE / 2 + 4, class: "explorer-text" }, "start")];
  run.steps.slice(0, shown).forEach((nodes, step) => {
    nodes.forEach((node, rank) => {
      const [, parent, , fate] = node;
      const [x, y] = place(step, rank);
      const [, fromY] = place(step - 1, parent);
      const [from, to] = [step ? endOf(step - 1, parent) + 4 : MARGIN - 4, x - BEFORE - 3];
      const middle = (from + to) / 2;
      const won = way.has(`${step},${rank}`);
      const look = won ? "explorer-tree-won" : `explorer-tree-${FATE_WORDS[fate]}`;
      lines.push(element("path", { d: `M${from} ${fromY} C${middle} ${fromY} ${middle} ${y} ${to} ${y}`, class: `explorer-branch ${look}` }));
      words.push(element("text", { x: x - BEFORE, y: y + 4, class: `explorer-text explorer-leaf ${look}` }, wordOf(node)));
    });
    words.push(element("text", { x: place(step, 0)[0] - BEFORE, y: 12, class: "explorer-text explorer-leaf explorer-tree-dropped" }, String(step + 1)));
  });
  const width = MARGIN + 30 + shown * COLUMN;
  return element("svg", { class: "explorer-tree", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, ...lines, ...words);
}

function candidatesTable(run, shown) {
  const nodes = run.steps[shown - 1];
  const columns = ["log p", "p", "what becomes of it"];
  const rows = nodes.map((_, rank) => prefixOf(run, shown - 1, rank).replace(/ ?<eos>$/, " ■"));
  const table = matrix({
    title: `The candidates of step ${shown}, best first`, rows, columns,
    fill: (cell, rank, j) => {
      const [, , logProbability, fate] = nodes[rank];
      cell.textContent = [written(logProbability), percentOf(logProbability), FATE_WORDS[fate]][j];
    },
  });
  table.className = "explorer-candidates";
  table.draw();
  return table;
}

const percentOf = (logProbability) => {
  const percent = 100 * Math.exp(logProbability);
  return `${percent >= 0.1 ? written(percent, 1) : percent.toPrecision(1).replace("-", "−")}%`;
};
const spoken = (text) => (text === "" ? "the empty sentence" : `“${text}”`);
const EQUAL = 0.002; // what rounding may change in a log-probability

export function verdictOf(run, proof) {
  const work = `after expanding ${proof.expanded} prefixes`;
  if (!proof.proven) return `Not proved: exact search gave up ${work}. The best that it knows is ${spoken(proof.text)}.`;
  const best = `${spoken(proof.text)}, with ${percentOf(proof.logProbability)}`;
  if (proof.logProbability <= run.logProbability + EQUAL) return `Proved ${work}: no sentence is more probable.`;
  return `A search error, found ${work}: the most probable translation is ${best}.`;
}

// --- the explorer -------------------------------------------------------------------------------

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  let run;
  let timer = null;
  let turn = 0; // a proof that is no longer wanted ends

  const found = liveRegion();
  found.classList.replace("explorer-says", "explorer-translation");
  const proved = element("p", { role: "status" });
  const place = element("div", { class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "The tree of candidates" });
  const tablePlace = element("div", { class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "Candidates of this step" });
  const stepSlider = slider({
    label: "Step", min: 1, max: 2, value: 1, show: (step) => `${step} of ${run ? run.steps.length : ""}`,
    change: (step) => { halt(); set({ step }); },
  });
  const grow = element("button", { type: "button", click: () => (timer ? halt() : growing()) }, "Watch it grow");
  const proof = element("button", { type: "button", click: () => prove() }, "Prove it");

  const halt = () => {
    clearInterval(timer);
    timer = null;
    grow.textContent = "Watch it grow";
  };
  const growing = () => {
    grow.textContent = "Stop";
    set({ step: 1 });
    timer = setInterval(() => {
      if (!el.isConnected || settings.step >= run.steps.length) halt();
      else set({ step: settings.step + 1 });
    }, GROWS);
  };
  const draw = () => {
    const last = run.steps.length;
    const shown = Math.min(settings.step, last);
    Object.assign(stepSlider.input, { max: last, value: shown });
    stepSlider.input.style.setProperty("--at", `${last > 1 ? (100 * (shown - 1)) / (last - 1) : 100}%`);
    stepSlider.input.setAttribute("aria-valuetext", `${shown} of ${last}`);
    stepSlider.querySelector(".explorer-value").textContent = `${shown} of ${last}`;
    place.replaceChildren(pictureOf(run, shown, place));
    place.scrollLeft = place.scrollWidth;
    tablePlace.replaceChildren(candidatesTable(run, shown));
    const done = shown === last;
    found.replaceChildren(...(done
      ? [element("span", { lang: "nl" }, run.result || "(the empty sentence)"), ` ${percentOf(run.logProbability)}`]
      : [`After step ${shown}, the best prefix: `, element("span", { lang: "nl" }, prefixOf(run, shown - 1, 0))]));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };
  const say = (result) => {
    proved.textContent = verdictOf(run, result);
    set({ step: run.steps.length, proof: true });
  };
  const prove = () => {
    halt();
    if (run.proof) {
      say(run.proof);
      return;
    }
    const mine = (turn += 1);
    const search = run.prove();
    const some = () => {
      if (mine !== turn || !el.isConnected) return;
      let next;
      for (let i = 0; i < AT_ONCE && !next?.done; i++) next = search.next();
      if (next.done) say((run.proof = next.value));
      else {
        proved.textContent = `${next.value} prefixes so far …`;
        setTimeout(some);
      }
    };
    some();
  };

  const own = ownSentence({
    model, settings, press: "Search",
    texts: data.sentences.map(({ text }) => text),
    stored: (asked) => storedSentence(data, asked),
    compute: searchedSentence,
    show: (shown) => {
      halt();
      turn += 1;
      run = shown;
      Object.assign(settings, { width: run.width, exponent: run.exponent });
      widths.input.value = String(run.width);
      exponents.choose(String(run.exponent));
      proved.textContent = "";
      draw();
      if (settings.proof && run.proof) say(run.proof);
      else settings.proof = false;
      keep();
    },
  });
  const again = (changes) => own.ask({ ...changes, proof: false });
  const widths = select({
    label: "Beam width", options: data.widths.map((width) => [String(width), String(width)]),
    value: String(settings.width), change: (width) => again({ width: Number(width) }),
  });
  const exponents = choice({
    legend: "Ended sentences are ranked by", value: String(settings.exponent),
    options: [["0", "log p (exponent 0)"], ["1", "the mean of log p (exponent 1)"]],
    change: (exponent) => again({ exponent: Number(exponent) }),
  });
  const id = newId("tree");
  place.id = id;
  furnish(
    el, "A beam search that grows",
    element("div", { class: "explorer-controls" }, ...own.parts, widths, exponents, stepSlider),
    element("p", {}, grow, " ", proof), found, proved, place,
    element("details", {}, element("summary", {}, "The candidates of this step as a table"), tablePlace),
  );
  own.begin();
}

export default { render };
