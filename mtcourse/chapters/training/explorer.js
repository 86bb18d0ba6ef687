// The learning-rate schedule of chapter 12: three sliders and the curve that they make.

import { chart, pathIn, plane } from "../../figures/javascript/chart.js";
import { element, furnish, liveRegion, newId, select, settingsOf, slider } from "../../figures/javascript/parts.js";

// mtcourse.training.schedules, step counted from 1.
export const cosine = (step, warmup, steps) =>
  step < warmup ? step / warmup : 0.5 * (1 + Math.cos((Math.PI * (step - warmup)) / (steps + 1 - warmup)));

export const inverseSquareRoot = (step, warmup) =>
  step <= warmup ? step / warmup : Math.sqrt(warmup / step);

const SHAPES = { cosine, "inverse square root": inverseSquareRoot };
const STEPS = 2000;
const PEAK = 0.01; // the largest that the slider offers, and the height of the picture
const PLANE = plane({ height: 260, left: 64, top: 14, bottom: 40, across: [0, STEPS], up: [0, PEAK] });

function picture(labelId) {
  const curve = element("path", { class: "explorer-curve" });
  const dot = element("circle", { class: "explorer-dot", r: 6 });
  const svg = chart(labelId, PLANE, {
    up: [[0, "0"], [PEAK, PEAK.toFixed(4)]], acrossIs: `step (to ${STEPS})`, upIs: "learning rate",
  }, curve, dot);
  return { svg, curve, dot };
}

function render({ model, el }) {
  const { settings, keep } = settingsOf(model);
  const says = liveRegion();
  says.id = newId("schedule");
  const { svg, curve, dot } = picture(says.id);
  const draw = () => {
    const rate = (step) => settings.peak * SHAPES[settings.shape](step, settings.warmup, STEPS);
    const points = [];
    for (let step = 1; step <= STEPS; step += 5) points.push([step, rate(step)]);
    curve.setAttribute("d", pathIn(PLANE, points));
    const here = rate(settings.step);
    dot.setAttribute("cx", PLANE.x(settings.step));
    dot.setAttribute("cy", PLANE.y(here));
    const share = Math.round((100 * here) / settings.peak);
    says.textContent = `At step ${settings.step} the learning rate is ${here.toFixed(5)}, ${share}% of its peak.`;
  };
  const set = (name, of = (value) => value) => (value) => {
    settings[name] = of(value);
    draw();
    keep();
  };
  const controls = element("div", { class: "explorer-controls" });
  controls.append(
    select({
      label: "Decay", options: Object.keys(SHAPES).map((name) => [name, name]), value: settings.shape,
      change: set("shape"),
    }),
    slider({
      label: "Peak learning rate", min: 1, max: 100, value: settings.peak * 1e4,
      show: (value) => (value / 1e4).toFixed(4), change: set("peak", (value) => value / 1e4),
    }),
    slider({ label: "Warm-up steps", min: 1, max: 1000, value: settings.warmup, change: set("warmup") }),
    slider({ label: "Read the rate at step", min: 1, max: STEPS, value: settings.step, change: set("step") }),
  );
  furnish(el, "Explorer of learning-rate schedules", controls, svg, says);
  draw();
}

export default { render };
