// The tree of beams, the keys and values that each of them reads, and the controls (chapter 14).

import { inChart, widthOf } from "../../figures/javascript/chart.js";
import { choice, element, liveRegion, matrix, newId, slider } from "../../figures/javascript/parts.js";
import {
  beamLogP, beamSays, columnsOf, isAncestor, kept, keysOf, resultSays, runOf, textOf, WAYS,
} from "./swapped_beams.js";
import { sayIn } from "./written_formulas.js";

const HALO = "paint-order: stroke; stroke: var(--ground); stroke-width: 4px";
const ALIVE = "fill: none; stroke: var(--accent); stroke-width: 3";
const GIVEN_UP = "fill: none; stroke: var(--quiet); stroke-width: 1.5; stroke-dasharray: 2 4";
const ROW = 52; // from beam to beam
const NARROWEST = 480; // pixels; a smaller screen scrolls

// A line from each beam to the beam that it continues; thick ones lead to a beam of this step. Lines
// change rows between the columns of words, and stay below a word in its column.
function treeOf(labelId, place, run, { beam_step: step }) {
  const B = run.parents[0].length;
  const width = Math.min(760, Math.max(NARROWEST, place.clientWidth || 640));
  const [left, right, top] = [16, 62, 34];
  const x = (s) => left + ((width - left - right) * s) / run.parents.length;
  const y = (beam) => top + ROW * beam;
  const isKept = kept(run, step);
  const beside = [8, ...run.tokens.map((words) =>
    6 + Math.max(...words.map((word) => widthOf(word, place, "600 14px"))) / 2)];
  const lines = [];
  const names = [];
  for (let s = 1; s <= step; s += 1) {
    run.parents[s - 1].forEach((parent, beam) => {
      const from = s === 1 ? y((B - 1) / 2) : y(parent);
      const alive = isKept(s, beam);
      const [leaves, arrives] = [x(s - 1) + beside[s - 1], x(s) - beside[s]];
      const d = `M${x(s - 1).toFixed(1)},${from}H${leaves.toFixed(1)}L${arrives.toFixed(1)},${y(beam)}H${x(s).toFixed(1)}`;
      lines.push(element("path", { d, style: alive ? ALIVE : GIVEN_UP }));
      lines.push(element("circle", { cx: x(s), cy: y(beam), r: 4, style: `fill: var(${alive ? "--accent" : "--quiet"})` }));
      names.push(inChart(run.tokens[s - 1][beam], {
        x: x(s), y: y(beam) - 11, "text-anchor": "middle", style: alive ? `${HALO}; font-weight: 600` : HALO,
      }));
    });
  }
  const ends = run.parents[0].map((_, beam) => inChart(`beam ${beam + 1}`, {
    x: x(step) + 10, y: y(beam) + 5, style: HALO,
  }));
  const height = top + ROW * (B - 1) + 40;
  const marks = run.parents.slice(0, step).map((_, k) => inChart(`step ${k + 1}`, {
    x: x(k + 1), y: height - 8, "text-anchor": "middle",
  }));
  return element(
    "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": labelId, style: `min-width: ${NARROWEST}px` },
    element("circle", { cx: x(0), cy: y((B - 1) / 2), r: 5, style: "fill: var(--ink)" }),
    ...lines, ...names, ...ends, ...marks,
  );
}

const OTHER = "background: color-mix(in srgb, var(--warning) 28%, var(--ground)); border: 1.5px solid var(--warning)";

function pieceOf([token, isOther]) {
  const piece = element("span", { class: "explorer-piece", style: isOther ? OTHER : "" }, token);
  if (isOther) {
    piece.append(
      element("span", { "aria-hidden": "true" }, " ✗"),
      element("span", { class: "explorer-unseen" }, " (another text's)"),
    );
  }
  return piece;
}

const row = (name, pieces) => element(
  "div", {}, element("span", { class: "explorer-muted" }, `${name}: `), ...pieces.map(pieceOf),
);

// For each beam its text and, if beams are rows, the keys and values in its row of the cache.
function beamList({ prompt }, run, { beam_step: step, way }) {
  const given = [prompt.join(" "), false];
  return run.parents[step - 1].map((parent, beam) => {
    const text = textOf(run, step, beam).map((token) => [token, false]);
    const continues = step === 1 ? "" : `, continues what was beam ${parent + 1}`;
    return element(
      "li", {},
      element("div", {}, element("b", {}, `Beam ${beam + 1}`), `${continues}; ${beamLogP(run, step, beam)}`),
      row("its text", [given, ...text]),
      ...(way === "mask" ? [] : [row("its keys and values", [given, ...keysOf(run, step, beam, way)])]),
    );
  });
}

// Which columns each beam may attend to, if all beams share them.
function ancestorTable({ prompt }, run, { beam_step: step }) {
  const columns = columnsOf(run, step);
  const table = matrix({
    title: "All columns of the cache, side by side; the mask lets each beam see its own.",
    rows: run.parents[0].map((_, beam) => `beam ${beam + 1}`),
    columns: [`prompt (${prompt.length})`, ...columns.map(({ token }) => token)],
    fill: (cell, beam, j) => {
      const own = j === 0 || isAncestor(run, step, beam, columns[j - 1]);
      cell.className = own ? "explorer-tint" : "explorer-hidden";
      cell.style.setProperty("--weight", 0.8);
      cell.style.cssText += "; width: 1.3rem; min-width: 1.3rem";
      cell.replaceChildren(
        element("span", { "aria-hidden": "true" }, own ? "✓" : ""),
        element("span", { class: "explorer-unseen" }, own ? "its own" : "hidden"),
      );
    },
  });
  table.draw();
  return table;
}

// Controls, tree and cache; keep() stores what the reader changes in settings.
export function drawnBeams({ data, settings, keep }) {
  const { beams } = data;
  const steps = beams.right.parents.length;
  const says = liveRegion();
  says.id = newId("beams");
  const treePlace = element("div", { class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "The tree of beams" });
  const maskPlace = element("div", { class: "explorer-scroll" });
  const list = element("ul", { class: "explorer-sentences" });
  const end = element("p");

  const draw = () => {
    const run = runOf(beams, settings.way);
    treePlace.replaceChildren(treeOf(says.id, treePlace, run, settings));
    treePlace.scrollLeft = ((settings.beam_step - 1) / (steps - 1)) * (treePlace.scrollWidth - treePlace.clientWidth);
    list.replaceChildren(...beamList(beams, run, settings));
    maskPlace.replaceChildren(...(settings.way === "mask" ? [ancestorTable(beams, run, settings)] : []));
    end.textContent = resultSays(beams, settings.way);
    sayIn(says, beamSays(data, settings));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };
  const begin = () => {
    draw();
    let drawnAt = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === drawnAt) return;
      drawnAt = contentRect.width;
      draw();
    }).observe(treePlace);
  };
  const controls = element(
    "div", { class: "explorer-controls" },
    choice({ legend: "When beams change places", options: WAYS, value: settings.way, change: (way) => set({ way }) }),
    slider({
      label: "Step of the beam search", min: 1, max: steps, value: settings.beam_step,
      show: (of) => `${of} of ${steps}`, change: (of) => set({ beam_step: of }),
    }),
  );
  return { children: [controls, says, treePlace, list, maskPlace, end], begin };
}
