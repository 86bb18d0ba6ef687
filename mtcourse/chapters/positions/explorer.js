// Positions as hands of clocks (chapter 3): where they stand, how far a shift turns them, and how
// like each other two positions are.

import { chart, inChart, pathIn, plane } from "../../figures/javascript/chart.js";
import { element, furnish, liveRegion, newId, settingsOf, slider, written } from "../../figures/javascript/parts.js";

// mtcourse.layers.positions, in double precision.
export const angularSpeeds = (d, base) =>
  Array.from({ length: d / 2 }, (_, i) => base ** ((-2 * i) / d));

export const encoding = (pos, d, base) =>
  angularSpeeds(d, base).flatMap((speed) => [Math.sin(pos * speed), Math.cos(pos * speed)]);

// PE(pos + k) from PE(pos): each pair of columns is turned by k times its speed.
export const rotated = (row, k, base) =>
  angularSpeeds(row.length, base).flatMap((speed, i) => {
    const [sin, cos] = [Math.sin(k * speed), Math.cos(k * speed)];
    const [a, b] = [row[2 * i], row[2 * i + 1]];
    return [a * cos + b * sin, b * cos - a * sin];
  });

export const dot = (one, other) => one.reduce((sum, x, i) => sum + x * other[i], 0);

// PE(pos) · PE(pos + k), which does not depend on pos; 1 for k = 0.
export const similarity = (k, d, base) =>
  angularSpeeds(d, base).reduce((sum, speed) => sum + Math.cos(k * speed), 0) / (d / 2);

// At most so many of the pairs, evenly chosen, the first and the last among them.
export const shownPairs = (pairs, most) => (pairs <= most
  ? Array.from({ length: pairs }, (_, i) => i)
  : Array.from({ length: most }, (_, i) => Math.round((i * (pairs - 1)) / (most - 1))));

const MOST = 8, RADIUS = 34, GAP = 80, WIDTH = 640, CLOCKS = 112;
const FAR = 60;
const PLANE = plane({
  width: WIDTH, height: 210, left: 40, right: 12, top: 12, bottom: 40, across: [0, FAR], up: [-1, 1],
});

const turns = (speed) => {
  const length = (2 * Math.PI) / speed;
  return length < 100 ? length.toFixed(1) : Math.round(length).toLocaleString("en");
};

function clock(place, speed, pos, shift) {
  const [cx, cy] = [GAP / 2 + place * GAP, RADIUS + 6];
  const hand = (at, attributes) => element("path", {
    class: "explorer-curve", ...attributes,
    d: `M${cx},${cy} L${(cx + RADIUS * Math.sin(at * speed)).toFixed(2)},${(cy - RADIUS * Math.cos(at * speed)).toFixed(2)}`,
  });
  return [
    element("circle", { cx, cy, r: RADIUS, fill: "none", stroke: "currentColor", "stroke-opacity": 0.45 }),
    hand(pos + shift, { style: "stroke: var(--warning); stroke-dasharray: 5 4" }),
    hand(pos, { style: "stroke: var(--accent)" }),
    element("text", { class: "explorer-text", x: cx, y: cy + RADIUS + 20, "text-anchor": "middle" }, turns(speed)),
  ];
}

function curvePicture(labelId) {
  const curve = element("path", { class: "explorer-curve" });
  const dot = element("circle", { class: "explorer-dot", r: 6 });
  const level = `M${PLANE.left},${PLANE.y(0)} H${PLANE.width - PLANE.right}`;
  const svg = chart(labelId, PLANE, {
    across: [0, 20, 40, 60].map((k) => [k, String(k)]),
    up: [1, 0, -1].map((of) => [of, written(of, 0)]),
    acrossIs: "distance of two positions",
  },
    element("path", { class: "explorer-axes", "stroke-dasharray": "2 5", d: level }),
    inChart("similarity", { x: PLANE.left + 8, y: PLANE.height - PLANE.bottom - 8 }),
    curve, dot,
  );
  return { svg, curve, dot };
}

function render({ model, el }) {
  const { settings, keep } = settingsOf(model);
  const says = liveRegion();
  says.id = newId("positions");
  const clocksName = newId("clocks");
  const clocks = element("svg", {
    class: "explorer-chart", role: "img", "aria-labelledby": clocksName, style: `--width: ${WIDTH}`,
  });
  const clocksCaption = element("p", { class: "explorer-label", id: clocksName });
  const picture = curvePicture(says.id);

  const draw = () => {
    const { position, shift, d_model } = settings;
    const base = 10 ** settings.power;
    const speeds = angularSpeeds(d_model, base);
    const shown = shownPairs(speeds.length, MOST);
    clocks.setAttribute("viewBox", `0 0 ${WIDTH} ${CLOCKS}`);
    clocks.replaceChildren(...shown.flatMap((i, place) => clock(place, speeds[i], position, shift)));
    const which = shown.length < speeds.length ? `${shown.length} of the ${speeds.length} hands` : `The ${shown.length} hands`;
    clocksCaption.textContent = `${which} at position ${position} (solid) and ${position + shift} (dashed). Below each: the positions that it needs for one turn.`;
    const points = [];
    for (let k = 0; k <= FAR; k += 0.25) points.push([k, similarity(k, d_model, base)]);
    picture.curve.setAttribute("d", pathIn(PLANE, points));
    const row = encoding(position, d_model, base);
    const alike = dot(row, rotated(row, shift, base)) / (d_model / 2);
    picture.dot.setAttribute("cx", PLANE.x(shift));
    picture.dot.setAttribute("cy", PLANE.y(alike));
    says.textContent = `Positions ${position} and ${position + shift}: similarity ${written(alike, 3)}. `
      + `The quickest hand turns by ${written(shift * speeds[0], 2)} radians, the slowest by ${written(shift * speeds[speeds.length - 1], 4)}.`;
  };
  const set = (name) => (value) => {
    settings[name] = value;
    draw();
    keep();
  };
  const controls = element("div", { class: "explorer-controls" });
  controls.append(
    slider({ label: "Position", min: 0, max: 200, value: settings.position, change: set("position") }),
    slider({ label: "Shift", min: 0, max: FAR, value: settings.shift, change: set("shift") }),
    slider({ label: "Width of a row, d_model", min: 4, max: 128, step: 4, value: settings.d_model, change: set("d_model") }),
    slider({
      label: "Base, 10,000 in the equation", min: 0.5, max: 5, step: 0.25, value: settings.power,
      show: (power) => Math.round(10 ** power).toLocaleString("en"), change: set("power"),
    }),
  );
  furnish(el, "Explorer of positions", controls, clocksCaption, clocks, picture.svg, says);
  draw();
}

export default { render };
