// The loss of one token, over the lead of the right word's logit: a curve to walk down (chapter 8).

import { chart, pathIn, plane } from "../../figures/javascript/chart.js";
import { element, furnish, liveRegion, newId, select, settingsOf, slider, written } from "../../figures/javascript/parts.js";

// V words; the logit of the right one is ahead of all others, which are equal, by z.
export const probability = (z, V) => 1 / (1 + (V - 1) * Math.exp(-z));

// Σ_k q[k] (log Σ e^u − u[k]) with u = (z, 0, …, 0): what the targets take from the right word costs z.
export const smoothedLoss = (z, V, epsilon) =>
  Math.log1p((V - 1) * Math.exp(-z)) + (epsilon * (V - 1) * z) / V;

export const wanted = (V, epsilon) => 1 - epsilon + epsilon / V;

export const gradient = (z, V, epsilon) => probability(z, V) - wanted(V, epsilon);

// Where the gradient is 0; without smoothing that is nowhere.
export const bottom = (V, epsilon) => {
  const q = wanted(V, epsilon);
  return epsilon === 0 ? Infinity : Math.log(q / (1 - q)) + Math.log(V - 1);
};

export const descend = (z, V, epsilon, rate) => z - rate * gradient(z, V, epsilon);

const FROM = -6, TO = 20;
const PLANE = plane({ height: 300, left: 46, top: 12, bottom: 44, across: [FROM, TO], up: [0, 14] });

function picture(labelId) {
  const curve = element("path", { class: "explorer-curve" });
  const tangent = element("path", { class: "explorer-axes", "stroke-dasharray": "6 4", "stroke-width": 2 });
  const trail = element("path", { class: "explorer-axes", "stroke-width": 1 });
  const dots = element("svg", { overflow: "visible" });
  const svg = chart(labelId, PLANE, {
    across: [-5, 0, 5, 10, 15, 20].map((z) => [z, written(z, 0)]),
    up: [0, 5, 10].map((loss) => [loss, String(loss)]),
    acrossIs: "lead of the right word, z",
    upIs: "loss (nats)",
  }, curve, tangent, trail, dots);
  return { svg, curve, tangent, trail, dots };
}

function render({ model, el }) {
  const { settings, keep } = settingsOf(model);
  let steps = [settings.z];
  const says = liveRegion();
  says.id = newId("loss");
  const { svg, curve, tangent, trail, dots } = picture(says.id);

  const draw = () => {
    const { z, V, epsilon } = settings;
    const loss = (at) => smoothedLoss(at, V, epsilon);
    const places = Array.from({ length: 261 }, (_, i) => FROM + (i * (TO - FROM)) / 260);
    curve.setAttribute("d", pathIn(PLANE, places.map((at) => [at, loss(at)])));
    const slope = gradient(z, V, epsilon);
    const along = Array.from({ length: 41 }, (_, i) => z - 4 + i / 5);
    tangent.setAttribute("d", pathIn(PLANE, along.map((at) => [at, loss(z) + slope * (at - z)])));
    trail.setAttribute("d", pathIn(PLANE, steps.map((at) => [at, loss(at)])));
    dots.replaceChildren(...steps.filter((at) => PLANE.inside(at, loss(at))).map((at, i, all) =>
      element("circle", {
        class: "explorer-dot", cx: PLANE.x(at), cy: PLANE.y(loss(at)), r: i === all.length - 1 ? 6 : 3.5,
        opacity: i === all.length - 1 ? 1 : 0.55,
      })));
    const p = probability(z, V), lowest = bottom(V, epsilon);
    const floor = lowest === Infinity
      ? "Without smoothing there is no lowest point: the loss falls as long as z grows."
      : `The lowest loss, ${written(loss(lowest), 3)}, is at probability ${written(wanted(V, epsilon), 3)}, z = ${written(lowest, 1)}.`;
    const after = steps.length > 1 ? `After ${steps.length - 1} ${steps.length === 2 ? "step" : "steps"}: ` : "";
    const gone = PLANE.inside(z, loss(z)) ? "" : " The dot has left the picture.";
    says.textContent = `${after}z = ${written(z)}, the right word has probability ${written(p, 3)}; `
      + `the loss is ${written(loss(z), 3)} nats and its slope ${written(slope, 3)}.${gone} ${floor}`;
  };

  let walking = false;
  const lead = slider({
    label: "Lead of the right word, z", min: FROM, max: TO, step: 0.1, value: settings.z,
    show: (value) => written(value, 1),
    change: (value) => { if (!walking) begin(value); },
  });
  const begin = (value) => {
    settings.z = value;
    steps = [value];
    draw();
    keep();
  };
  const walk = (count) => {
    for (let i = 0; i < count; i += 1) {
      settings.z = descend(settings.z, settings.V, settings.epsilon, 10 ** settings.power);
      steps.push(settings.z);
    }
    walking = true;
    lead.input.value = settings.z;
    lead.input.dispatchEvent(new Event("input"));
    walking = false;
    draw();
    keep();
  };
  const set = (name, of = (value) => value) => (value) => {
    settings[name] = of(value);
    steps = [settings.z];
    draw();
    keep();
  };
  const button = (words, press) => element("button", { type: "button", click: press }, words);
  const buttons = element("div", {});
  const first = settings.z;
  const again = () => {
    walking = true;
    lead.input.value = first;
    lead.input.dispatchEvent(new Event("input"));
    walking = false;
    begin(first);
  };
  buttons.append(
    button("Take a step", () => walk(1)), " ", button("Take ten steps", () => walk(10)), " ",
    button("Start again", again),
  );
  const controls = element("div", { class: "explorer-controls" });
  controls.append(
    select({
      label: "Words in the vocabulary", options: [2, 20, 2000].map((V) => [String(V), String(V)]),
      value: String(settings.V), change: set("V", Number),
    }),
    slider({
      label: "Label smoothing, ε", min: 0, max: 30, value: 100 * settings.epsilon,
      show: (value) => (value / 100).toFixed(2), change: set("epsilon", (value) => value / 100),
    }),
    lead,
    slider({
      label: "Learning rate, η", min: -1, max: 3, step: 0.05, value: settings.power,
      show: (value) => String(Number((10 ** value).toPrecision(2))),
      change: set("power"),
    }),
    buttons,
  );
  furnish(el, "Explorer of the loss of one token", controls, svg, says);
  draw();
}

export default { render };
