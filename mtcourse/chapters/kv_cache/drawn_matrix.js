// The matrix that fills, its controls, its counter and the chart of the totals (chapter 14).

import { chart, inChart, pathIn, plane } from "../../figures/javascript/chart.js";
import {
  choice, element, grid, liveRegion, newId, select, slider, toggle,
} from "../../figures/javascript/parts.js";
import { subscripted } from "../../figures/javascript/subscripts.js";
import { cellRole, cellSays, counterOf, keyRole, ROLES, rolesIn, stepSays, viewOf } from "./filling_matrix.js";
import { costOfLength, formulasOf, millions, sizesSay } from "./step_costs.js";
import { sayIn } from "./written_formulas.js";

const KEPT = "#2e8b57"; // the figures' green
const TINT = "color-mix(in srgb, var(--accent) calc(var(--weight, 0.55) * 100%), var(--soft))";
const HATCHED = "repeating-linear-gradient(135deg, var(--warning) 0 2px, transparent 2px 6px)";
const FAINT = "color-mix(in srgb, var(--ink) 30%, var(--ground))";
// How each role looks: told apart by lines and outlines where colours do not.
const LOOKS = {
  new: `background: ${TINT}; box-shadow: inset 0 0 0 1.5px var(--accent)`,
  again: `background: ${HATCHED}, ${TINT}; box-shadow: inset 0 0 0 1px var(--warning)`,
  read: `background: color-mix(in srgb, ${KEPT} 40%, var(--ground)); box-shadow: inset 0 0 0 3px ${KEPT}`,
  earlier: "background: color-mix(in srgb, var(--ink) calc(var(--weight, 0.4) * 50%), var(--soft))",
  masked: `background: repeating-linear-gradient(45deg, ${FAINT} 0 1px, var(--ground) 1px 5px)`,
  later: "background: none; box-shadow: inset 0 0 0 1px var(--rule)",
};
const SIDE = "clamp(1rem, 5.6cqi, 1.55rem)"; // narrower on a phone: twelve columns fit on it

function filling({ inputs }, choose) {
  let view;
  const table = grid({
    title: "Rows are queries, columns are keys. The stronger the colour, the larger the weight.",
    rows: ["K and V", ...inputs],
    columns: inputs,
    move: (row, j) => choose([row, j]),
    fill: (cell, row, j) => {
      const role = row === 0 ? keyRole(view, j) : cellRole(view, row - 1, j);
      const isWeight = row > 0 && j < row;
      const size = `width: ${SIDE}; min-width: ${SIDE}; height: ${SIDE}; padding: 0`;
      const apart = row === 0 ? `border-bottom: 6px solid var(--ground); height: calc(${SIDE} + 6px)` : "";
      const heat = isWeight ? `--weight: ${Math.sqrt(view.weights[row - 1][j]).toFixed(3)}` : "";
      cell.style.cssText = [size, LOOKS[role], heat, apart].join("; ");
      cell.className = view.at[0] === row && view.at[1] === j ? "explorer-chosen" : "";
      cell.dataset.role = role;
      const says = cellSays(view, [row, j]);
      cell.setAttribute("aria-label", says);
      cell.title = says;
    },
  });
  table.style.borderSpacing = "1px";
  for (const name of table.querySelectorAll("thead span")) name.style.lineHeight = "1";
  const show = (now) => {
    view = now;
    table.draw();
  };
  return { table, show };
}

function legendOf(view) {
  return rolesIn(view).map((role) => {
    const swatch = element("span", { "aria-hidden": "true" });
    swatch.style.cssText = `display: inline-block; width: 1rem; height: 1rem; flex: none; border-radius: 3px; ${LOOKS[role]}`;
    const entry = element("span", {}, swatch, ROLES[role]);
    entry.style.cssText = "display: flex; gap: 0.45rem; align-items: center";
    return entry;
  });
}

const CELL = "padding: 0.15rem 0 0.15rem 0.8rem; text-align: right; font-variant-numeric: tabular-nums";

function counterTable(view) {
  const head = (name, isOn) => element("th", { scope: "col", style: CELL }, isOn ? element("b", {}, name) : name);
  const value = (text, isOn) => element("td", { style: CELL }, isOn ? element("b", {}, text) : text);
  const { cached } = view;
  const lines = counterOf(view).map(([name, plain, kept]) => element(
    "tr", {}, element("th", { scope: "row", style: "text-align: left; padding: 0.15rem 0" }, name),
    value(plain, !cached), value(kept, cached),
  ));
  const columns = element("tr", {}, element("td", {}), head("without cache", !cached), head("with cache", cached));
  return element(
    "table", {}, element("caption", {}, `Counter at step ${view.step}`),
    element("thead", {}, columns), element("tbody", {}, ...lines),
  );
}

const line = (...words) => element("span", { style: "display: block; margin-bottom: 0.3rem" }, ...words);

const formulaLines = (view) => [
  ...formulasOf(view.sizes, view, view.cached).map(([name, symbols, numbers]) =>
    line(...subscripted(`${name} = ${symbols} = `), numbers)),
  line(...subscripted(sizesSay(view.sizes))),
];

const LINES = [
  ["plain", "without cache", "--warning", "stroke: var(--warning); stroke-dasharray: 9 4"],
  ["cached", "with cache", "--accent", "stroke: var(--accent)"],
];

// Marks on the axis of millions: four or five round numbers.
function millionMarks(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const apart = [1, 2, 5, 10].map((of) => of * power).find((of) => of >= rough);
  const marks = Array.from({ length: Math.floor(most / apart) + 1 }, (_, k) => k * apart);
  return marks.map((mark) => [mark, String(Math.round(mark / 1e5) / 10)]);
}

function totalsChart(labelId, width, { costs, step, steps, n }) {
  const most = costs.at(-1).sum.plain;
  const first = steps[0].t;
  const place = plane({
    width, height: 230, left: 46, top: 28, bottom: 44, across: [Math.min(first, n - 1), n], up: [0, 1.05 * most],
  });
  const drawn = LINES.flatMap(([way, name, colour, stroke]) => {
    const points = costs.map(({ t, sum }) => [t, sum[way]]);
    const [t, sum] = points[step - 1];
    const beside = points[way === "plain" ? Math.floor(0.72 * (points.length - 1)) : points.length - 1];
    const at = { x: place.x(beside[0]), y: place.y(beside[1]) - 11, "text-anchor": "end" };
    return [
      element("path", { class: "explorer-curve", d: pathIn(place, points), style: stroke }),
      element("circle", { cx: place.x(t), cy: place.y(sum), r: 5, style: `fill: var(${colour})` }),
      inChart(name, { ...at, style: "paint-order: stroke; stroke: var(--ground); stroke-width: 4px" }),
    ];
  });
  const apart = Math.ceil(steps.length / (width / 48));
  const across = steps.filter(({ t }) => (n - t) % apart === 0).map(({ t }) => [t, String(t)]);
  return chart(
    labelId, place,
    { across, up: millionMarks(most), acrossIs: "positions" },
    inChart("million multiplications so far", { x: 4, y: 14 }), ...drawn,
  );
}

function lengthSays(sizes) {
  const { sum } = costOfLength(sizes, sizes.longest);
  return `A text of ${sizes.longest} tokens, the longest that this model reads, takes `
    + `${millions(sum.plain)} multiplications without a cache and ${millions(sum.cached)} with one: `
    + `${Math.round(sum.plain / sum.cached)} times fewer.`;
}

const numbered = (count, name) => Array.from({ length: count }, (_, k) => [String(k), `${name} ${k + 1}`]);

// Controls, matrix, counter and chart; keep() stores what the reader changes in settings.
export function drawnMatrix({ data, settings, keep }) {
  const { sentences, sizes } = data;
  const says = liveRegion();
  says.id = newId("step");
  const [stepPlace, matrixPlace, counterPlace, chartPlace] = Array.from({ length: 4 }, () => element("div"));
  matrixPlace.classList.add("explorer-scroll");
  const legend = element("div", { class: "explorer-muted", style: "display: grid; gap: 0.2rem; margin-top: 0.4rem" });
  const cellLine = element("p", { class: "explorer-readout", style: "width: 0; min-width: 100%" });
  const formula = element("p", { class: "explorer-readout", style: "font-size: 0.85em" });
  let map;

  const draw = () => {
    const view = viewOf(data, settings);
    map.show(view);
    legend.replaceChildren(...legendOf(view));
    cellLine.textContent = cellSays(view, view.at);
    counterPlace.replaceChildren(counterTable(view));
    formula.replaceChildren(...formulaLines(view));
    const width = Math.min(760, Math.max(290, chartPlace.clientWidth || 640));
    chartPlace.replaceChildren(totalsChart(says.id, width, view));
    sayIn(says, stepSays(view));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("sentence" in changes) build();
    else if ("prefill" in changes) offerSteps();
    draw();
    keep();
  };
  // The chosen cell goes along to the newest query.
  const follow = (step) => {
    const { steps, at } = viewOf(data, settings);
    const { t } = steps[step - 1];
    settings.at = [at[0] === 0 ? 0 : t, Math.min(at[1], t - 1)];
    map.table.reach(...settings.at);
    set({ step });
  };
  const offerSteps = () => {
    const { steps, step } = viewOf(data, settings);
    settings.step = step;
    stepPlace.replaceChildren(slider({
      label: "Step", min: 1, max: steps.length, value: step,
      show: (of) => `${of} of ${steps.length}`, change: follow,
    }));
  };
  const build = () => {
    const view = viewOf(data, settings);
    settings.at = view.at;
    map = filling(view, (at) => set({ at }));
    map.table.reach(...settings.at);
    matrixPlace.replaceChildren(map.table);
    offerSteps();
  };
  const begin = () => {
    build();
    draw();
    let drawnAt = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === drawnAt) return;
      drawnAt = contentRect.width;
      draw();
    }).observe(chartPlace);
  };
  const controls = element(
    "div", { class: "explorer-controls" },
    select({
      label: "The model writes", options: sentences.map(({ text }, k) => [String(k), text]),
      value: String(settings.sentence), change: (of) => set({ sentence: Number(of) }),
    }),
    element(
      "div", { class: "explorer-columns" },
      choice({
        legend: "Cache", value: settings.cached ? "on" : "off", options: [["on", "on"], ["off", "off"]],
        change: (of) => set({ cached: of === "on" }),
      }),
      toggle({
        label: "Prefill: the prompt in one pass", checked: settings.prefill, change: (prefill) => set({ prefill }),
      }),
    ),
    element(
      "div", { class: "explorer-selects" },
      select({
        label: "Weights of", options: numbered(sizes.L, "layer"), value: String(settings.layer),
        change: (of) => set({ layer: Number(of) }),
      }),
      select({
        label: "and", options: numbered(sizes.h, "head"), value: String(settings.head),
        change: (of) => set({ head: Number(of) }),
      }),
    ),
    stepPlace,
  );
  const children = [
    controls, says,
    element(
      "div", { class: "explorer-pair" },
      element("div", {}, matrixPlace, cellLine, legend), element("div", {}, counterPlace, formula),
    ),
    chartPlace, element("p", { class: "explorer-muted" }, lengthSays(sizes)),
  ];
  return { children, begin };
}
