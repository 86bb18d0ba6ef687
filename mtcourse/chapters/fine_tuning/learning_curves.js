// The scores of fine-tuned heads on a whole test set, over the number of labelled sentences (chapter
// 16): a line through the medians of each way, and a dot for each start of the chosen one.

import { chart, inChart, pathIn, plane } from "../../figures/javascript/chart.js";
import { choice, element, liveRegion, newId } from "../../figures/javascript/parts.js";

// The dashes tell the curves apart where colours do not.
const LINES = ["stroke: var(--accent)", "stroke: var(--warning); stroke-dasharray: 9 4", "stroke: var(--third); stroke-dasharray: 2 4"];
const PIECE = 20; // of a line, beside its name
const NAME = "paint-order: stroke; stroke: var(--ground); stroke-width: 4px; font-size: 13px";
const NAMES = { en: "English", nl: "Dutch" };

// --- numbers ------------------------------------------------------------------------------------

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// What is drawn: each way's median for each size, and the starts of the chosen way.
export function scoresOf({ scores, ways, sizes }, { language, score, way, size }) {
  const of = scores[language][score];
  return {
    medians: ways.map((one) => of[one].map(median)),
    starts: of[way],
    here: of[way][sizes.indexOf(size)],
  };
}

export const counted = (size) => size.toLocaleString("en-GB");

export function saysOfScores(data, settings) {
  const { here } = scoresOf(data, settings);
  const [low, high] = [Math.min(...here), Math.max(...here)].map((value) => value.toFixed(0));
  return `On the ${NAMES[settings.language]} test set, ${settings.way} with ${counted(settings.size)} labelled sentences: ${settings.score} `
    + `${median(here).toFixed(0)}%, the median of ${here.length} starts (${low} to ${high}). The head above is the first start (hollow dot): `
    + `${here[0].toFixed(0)}%.`;
}

// --- the figure ---------------------------------------------------------------------------------

const colourOf = (k) => /var\([^)]*\)/.exec(LINES[k])[0];

// Names at the right ends of their curves, from the lowest upwards, apart from each other; in front of
// each a piece of its line.
function namesOf(of, ways, medians) {
  let floor = of.height - of.bottom + 5;
  const x = of.width - of.right + 4;
  return ways.map((way, k) => [way, of.y(medians[k].at(-1)) + 5, k]).sort((one, other) => other[1] - one[1]).flatMap(([way, wanted, k]) => {
    const y = Math.min(wanted, floor);
    floor = y - 17;
    return [
      element("line", { class: "explorer-curve", x1: x, x2: x + PIECE, y1: y - 5, y2: y - 5, style: LINES[k] }),
      inChart(way, { x: x + PIECE + 5, y, style: NAME }),
    ];
  });
}

function pictureOf(labelId, width, data, settings) {
  const { sizes, ways } = data;
  const { medians, starts } = scoresOf(data, settings);
  const at = Math.log10;
  const of = plane({
    width, height: 270, left: 36, right: 136, top: 24, bottom: 44, up: [0, 100], across: [at(sizes[0]) - 0.2, at(sizes.at(-1)) + 0.2],
  });
  const chosen = ways.indexOf(settings.way);
  const curves = medians.map((values, k) => element("path", {
    class: "explorer-curve", d: pathIn(of, values.map((value, i) => [at(sizes[i]), value])), style: LINES[k],
  }));
  const dots = starts.flatMap((values, i) => values.map((value, start) => {
    const isHere = sizes[i] === settings.size;
    const isAbove = isHere && start === 0;
    return element("circle", {
      class: "explorer-dot", cx: of.x(at(sizes[i])), cy: of.y(value), r: isHere ? 5.5 : 3,
      style: isAbove
        ? `fill: var(--ground); stroke: ${colourOf(chosen)}; stroke-width: 3`
        : `fill: ${colourOf(chosen)}; fill-opacity: ${isHere ? 0.9 : 0.6}`,
    });
  }).reverse());
  const line = `M${of.x(at(settings.size))},${of.top} V${of.height - of.bottom}`;
  return chart(
    labelId, of,
    {
      across: sizes.filter((_, i) => width > 420 || i % 2 === 0).map((size) => [at(size), counted(size)]),
      up: [0, 50, 100].map((value) => [value, String(value)]),
      acrossIs: "labelled sentences",
    },
    inChart(`${settings.score} (%)`, { x: 4, y: 14 }),
    element("path", { class: "explorer-axes", "stroke-dasharray": "2 4", d: line }),
    ...curves, ...dots, ...namesOf(of, ways, medians),
  );
}

// The choice of a score, the picture and its sentence; begin() draws it and follows the width.
export function learningCurves({ data, settings, set }) {
  const says = liveRegion();
  says.id = newId("scores");
  const place = element("div");
  const scores = Object.keys(data.scores[settings.language]);
  const controls = choice({
    legend: "Score on the whole test set", options: scores.map((score) => [score, score]), value: settings.score,
    change: (score) => set({ score }),
  });
  const draw = () => {
    const width = Math.min(760, Math.max(280, place.clientWidth || 640));
    place.replaceChildren(pictureOf(says.id, width, data, settings));
    says.textContent = saysOfScores(data, settings);
  };
  const begin = () => {
    let drawnAt = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === drawnAt) return;
      drawnAt = contentRect.width;
      draw();
    }).observe(place);
  };
  return { children: [controls, place, says], draw, begin };
}
