// A line chart in SVG: a plane, whose x and y turn values into places, its axes, and paths in it.

import { element } from "./parts.js";

// Values across from left to right and upwards from below, in a picture of this size with margins.
export function plane({ width = 640, height, left, right = 14, top, bottom, across: [from, to], up: [low, high] }) {
  const x = (value) => left + ((width - left - right) * (value - from)) / (to - from);
  const y = (value) => height - bottom - ((height - bottom - top) * (value - low)) / (high - low);
  const inside = (a, b) => a >= from && a <= to && b >= low && b <= high;
  return { width, height, left, right, top, bottom, x, y, inside };
}

// A path through the points that are in the picture; it breaks off where they are not.
export function pathIn({ x, y, inside }, points) {
  let down = false;
  return points.map(([a, b]) => {
    const command = inside(a, b) ? `${down ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}` : "";
    down = command !== "";
    return command;
  }).join("");
}

// How wide words are in a picture within this element, in this style of type, as "700 14px".
export function widthOf(words, within, type) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${type} ${getComputedStyle(within).fontFamily}`;
  return pen.measureText(words).width;
}

export const inChart = (words, at) => element("text", { class: "explorer-text", ...at }, words);

// The picture: axes, marks ([value, words]) on them, what each of them is, and whatever stands within.
export function chart(labelId, of, { across = [], up = [], acrossIs, upIs = "" }, ...within) {
  const { width, height, left, right, top, bottom, x, y } = of;
  const svg = element("svg", {
    class: "explorer-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": labelId,
    style: `--width: ${width}`,
  });
  const anchor = (value) => (x(value) > width - right - 1 ? "end" : "middle");
  svg.append(
    element("path", { class: "explorer-axes", d: `M${left},${top} V${height - bottom} H${width - right}` }),
    ...up.map(([value, words]) => inChart(words, { x: left - 8, y: y(value) + 5, "text-anchor": "end" })),
    ...across.map(([value, words]) =>
      inChart(words, { x: x(value), y: height - bottom + 18, "text-anchor": anchor(value), class: "explorer-text explorer-across" })),
    inChart(acrossIs, { x: width - right, y: height - 6, "text-anchor": "end", class: "explorer-text explorer-across-is" }),
    inChart(upIs, { x: left + 8, y: top + 10 }),
    ...within,
  );
  return svg;
}
