// The gradient's norm in each layer of an untrained translator, for each depth and each placement of
// the norm (chapter 10): medians of ten starts on a logarithmic axis, with the range over the starts.

import { chart, inChart, pathIn, plane } from "../../figures/javascript/chart.js";
import { choice, element, liveRegion, newId, slider, toggle } from "../../figures/javascript/parts.js";

// How each placement is drawn; the dashes tell the curves apart where colours do not.
const LINES = {
  "post-norm": "stroke: var(--accent)",
  "pre-norm": "stroke: var(--warning); stroke-dasharray: 9 4",
  "no norm": "stroke: var(--ink); stroke-dasharray: 2 4",
};
const HIGHEST = 6; // decades; without a norm, curves leave the picture there

// --- numbers ------------------------------------------------------------------------------------

// norms: for each layer [median, lowest, highest]; ratio: last layer over first. null: overflow.
export function curvesOf({ depths, norms, ratios }, { stack, depth, shown }) {
  const at = depths.indexOf(depth);
  return shown.map((placement) => ({
    placement, norms: norms[stack][placement][at], ratio: ratios[stack][placement][at],
  }));
}

// The decades that hold every depth of what is shown: the axis stays as it is while the depth changes.
export function decadesOf({ norms }, { stack, shown }) {
  const all = shown.flatMap((placement) => norms[stack][placement].flat(2)).filter((norm) => norm > 0);
  if (all.length === 0) return [-2, 2];
  return [
    Math.floor(Math.log10(Math.min(...all)) - 1.5),
    Math.min(HIGHEST, Math.ceil(Math.log10(Math.max(...all)) + 0.7)),
  ];
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const tenTo = (power) => `10${[...String(power)].map((sign) => RAISED[sign]).join("")}`;

// Two digits, and whole numbers to 100,000: 0.041, 155, 4.5 × 10⁷.
export function sized(value) {
  if (value === null) return "overflow";
  if (value >= 99.5 && value < 99_999.5) return String(Math.round(value));
  if (value >= 1e-3 && value < 99.5) return value.toPrecision(2);
  const [digits, power] = value.toExponential(1).split("e");
  return `${digits} × ${tenTo(Number(power))}`;
}

const ranged = ([median, low, high]) => `${sized(median)} (${sized(low)} to ${sized(high)})`;

// --- the figure ---------------------------------------------------------------------------------

const FAR = 40; // decades of a norm that overflows
const logarithm = (norm) => (norm === null ? FAR : Math.log10(norm));
const colourOf = (placement) => /var\([^)]*\)/.exec(LINES[placement])[0];

// Points as they are, and one more where the line to a neighbour crosses the top of the picture.
const cutAt = (top, points) => points.flatMap(([x, y], k) => {
  const [before, at] = points[k - 1] ?? [x, y];
  const crosses = (at > top) !== (y > top);
  return crosses ? [[before + ((top - at) / (y - at)) * (x - before), top], [x, y]] : [[x, y]];
});

function bandOf(place, norms) {
  const known = norms.map((of, k) => [k + 1, ...of]).filter(([, , low, high]) => low > 0 && high !== null);
  const side = (which) => known.map((of) => `${place.x(of[0]).toFixed(1)},${place.y(Math.min(HIGHEST, Math.log10(of[which]))).toFixed(1)}`);
  return known.length > 1 ? `M${[...side(2), ...side(3).reverse()].join("L")}Z` : "";
}

// The curves that the picture has in a layer, from the top.
const seenIn = (place, curves, layer) => curves
  .map(({ placement, norms }) => ({ placement, layer, norm: logarithm(norms[layer - 1][0]) }))
  .filter(({ norm }) => place.inside(layer, norm))
  .map((of) => ({ ...of, y: place.y(of.norm) })).sort((one, other) => one.y - other.y);

const smallestGap = (seen) => Math.min(...seen.slice(1).map(({ y }, k) => y - seen[k].y));

// Names stand where the curves are farthest apart: the lowest below its curve, the others above theirs.
// A curve that the picture does not have there is named where it begins.
function namesOf(place, curves, depth) {
  const layers = Array.from({ length: depth }, (_, k) => seenIn(place, curves, k + 1));
  const best = layers.reduce((found, seen) =>
    (seen.length > 1 && (found.length < 2 || smallestGap(seen) > smallestGap(found) + 1) ? seen : found));
  const named = new Set(best.map(({ placement }) => placement));
  const others = curves.filter(({ placement }) => !named.has(placement)).flatMap(({ placement }) =>
    layers.flat().filter((of) => of.placement === placement).slice(0, 1));
  let floor = Infinity;
  const placed = best.map((of, k) => [of, k > 0 && k === best.length - 1 ? of.y + 22 : of.y - 12]).reverse()
    .map(([of, wanted]) => { floor = Math.min(wanted, floor - 18); return [of, floor]; });
  return [...placed, ...others.map((of) => [of, of.y - 12])].map(([{ placement, layer }, y]) => {
    const isLeft = layer <= (depth + 1) / 2;
    return inChart(placement, {
      x: place.x(layer) + (isLeft ? 6 : -6), y, "text-anchor": isLeft ? "start" : "end",
      style: "paint-order: stroke; stroke: var(--ground); stroke-width: 4px",
    });
  });
}

function marksAcross(depth) {
  const step = depth <= 8 ? 1 : depth / 4;
  const marks = Array.from({ length: depth / step }, (_, k) => (k + 1) * step);
  return [...new Set([1, ...marks])].map((layer) => [layer, String(layer)]);
}

function marksUp([low, high]) {
  const step = Math.ceil((high - low) / 6);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, k) => first + k * step)
    .map((power) => [power, Math.abs(power) < 3 ? String(10 ** power) : tenTo(power)]);
}

function pictureOf(labelId, width, curves, decades, { depth, layer }) {
  const place = plane({
    width, height: 300, left: 52, top: 26, bottom: 44, across: [0.5, depth + 0.5], up: decades,
  });
  const drawn = curves.flatMap(({ placement, norms }) => {
    const points = norms.map(([median], k) => [k + 1, logarithm(median)]);
    const [stroke, fill] = [LINES[placement], `fill: ${colourOf(placement)}`];
    const here = points[layer - 1];
    return [
      element("path", { d: bandOf(place, norms), style: `${fill}; fill-opacity: 0.2` }),
      element("path", { class: "explorer-curve", d: pathIn(place, cutAt(decades[1], points)), style: stroke }),
      ...(place.inside(...here)
        ? [element("circle", { class: "explorer-dot", cx: place.x(here[0]), cy: place.y(here[1]), r: 5, style: fill })]
        : []),
    ];
  });
  const line = `M${place.x(layer)},${place.top} V${place.height - place.bottom}`;
  return chart(
    labelId, place,
    { across: marksAcross(depth), up: marksUp(decades), acrossIs: "layer" },
    inChart("norm of the gradient of W₂", { x: 4, y: 14 }),
    element("path", { class: "explorer-axes", "stroke-dasharray": "2 4", d: line }),
    ...drawn, ...namesOf(place, curves, depth),
  );
}

function sentenceOf({ placement, norms, ratio }, { depth, layer }) {
  const name = placement[0].toUpperCase() + placement.slice(1);
  const of = norms[layer - 1];
  const size = of[0] === null ? "overflows" : `is ${ranged(of)}`;
  const over = ratio[0] === null
    ? "A norm overflows, so there is no ratio of last to first."
    : `The last layer has ${ranged(ratio)} times the norm of the first.`;
  return element(
    "span", { style: "display: block" },
    element("b", {}, name), `: the norm ${size} in layer ${layer} of ${depth}.${depth > 1 ? ` ${over}` : ""}`,
  );
}

// Controls, picture and words; keep() stores what the reader changes in settings.
export function gradientNorms({ data, settings, keep }) {
  const says = liveRegion();
  says.id = newId("norms");
  const place = element("div");
  const layerPlace = element("div");

  const draw = () => {
    const curves = curvesOf(data, settings);
    const width = Math.min(760, Math.max(290, place.clientWidth || 640));
    place.replaceChildren(pictureOf(says.id, width, curves, decadesOf(data, settings), settings));
    says.replaceChildren(...(curves.length
      ? curves.map((curve) => sentenceOf(curve, settings))
      : ["Choose at least one placement of the norm."]));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("depth" in changes) offerLayers();
    draw();
    keep();
  };
  const offerLayers = () => {
    settings.layer = Math.min(settings.layer, settings.depth);
    layerPlace.replaceChildren(slider({
      label: "Read the norm in layer", min: 1, max: settings.depth, value: settings.layer,
      show: (layer) => `${layer} of ${settings.depth}`, change: (layer) => set({ layer }),
    }));
  };
  const show = (placement, there) =>
    set({ shown: Object.keys(LINES).filter((of) => (of === placement ? there : settings.shown.includes(of))) });
  const controls = element(
    "div", { class: "explorer-controls" },
    element(
      "div", { class: "explorer-columns" },
      choice({
        legend: "Layers of the", value: settings.stack, change: (stack) => set({ stack }),
        options: [["encoder", "encoder"], ["decoder", "decoder"]],
      }),
      element(
        "div", { role: "group", "aria-label": "Placement of the norm" },
        ...Object.keys(LINES).map((placement) => toggle({
          label: placement, checked: settings.shown.includes(placement), change: (there) => show(placement, there),
        })),
      ),
    ),
    slider({
      label: "Depth", min: 0, max: data.depths.length - 1, value: data.depths.indexOf(settings.depth),
      show: (at) => `${data.depths[at]} ${data.depths[at] === 1 ? "layer" : "layers"}`,
      change: (at) => set({ depth: data.depths[at] }),
    }),
    layerPlace,
  );
  offerLayers();
  draw();
  let drawnAt = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === drawnAt) return;
    drawnAt = contentRect.width;
    draw();
  }).observe(place);
  const caption = "Before training: the median of ten starts for each layer, and the range over the ten.";
  return [controls, element("p", { class: "explorer-label" }, caption), place, says];
}
