// The learning-rate schedule of chapter 12: three sliders and the curve that they make.
// One ES module, no dependencies. It fills every element with data-explorer="schedule".

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 260, LEFT = 64, BOTTOM = 40, TOP = 14, RIGHT = 14;
const STEPS = 2000;

// The package's schedules (mtcourse.training.schedules), step counted from 1, peak 1.
const SHAPES = {
  cosine: (step, warmup) =>
    step < warmup ? step / warmup : 0.5 * (1 + Math.cos((Math.PI * (step - warmup)) / (STEPS + 1 - warmup))),
  "inverse square root": (step, warmup) =>
    step <= warmup ? step / warmup : Math.sqrt(warmup / step),
};

function element(tag, attributes = {}, text = "") {
  const made = tag === "svg" || attributes.svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (name !== "svg") made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

function slider(label, id, attributes, show) {
  const row = element("div", { class: "explorer-row" });
  const input = element("input", { type: "range", id, ...attributes });
  const output = element("output", { for: id });
  row.append(element("label", { for: id }, label), input, output);
  const say = () => { output.textContent = show(input.value); input.setAttribute("aria-valuetext", output.textContent); };
  input.addEventListener("input", say);
  say();
  return { row, input };
}

function render(host, number) {
  const id = `schedule-${number}`;
  const select = element("select", { id: `${id}-shape` });
  for (const name of Object.keys(SHAPES)) select.append(element("option", { value: name }, name));
  const shapeRow = element("div", { class: "explorer-row" });
  shapeRow.append(element("label", { for: `${id}-shape` }, "Decay"), select);
  const peak = slider("Peak learning rate", `${id}-peak`, { min: 1, max: 100, value: 30 }, (v) => (v / 10000).toFixed(4));
  const warmup = slider("Warm-up steps", `${id}-warmup`, { min: 1, max: 1000, value: 200 }, String);
  const at = slider("Read the rate at step", `${id}-at`, { min: 1, max: STEPS, value: 600 }, String);

  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": `${id}-says` });
  const axes = element("path", { svg: 1, class: "explorer-axes", d: `M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}` });
  const curve = element("path", { svg: 1, class: "explorer-curve" });
  const dot = element("circle", { svg: 1, class: "explorer-dot", r: 5 });
  const top = element("text", { svg: 1, class: "explorer-text", x: LEFT - 6, y: TOP + 10, "text-anchor": "end" }, "0.0100");
  const zero = element("text", { svg: 1, class: "explorer-text", x: LEFT - 6, y: HEIGHT - BOTTOM, "text-anchor": "end" }, "0");
  const xLabel = element("text", { svg: 1, class: "explorer-text", x: WIDTH - RIGHT, y: HEIGHT - 12, "text-anchor": "end" }, `step (to ${STEPS})`);
  svg.append(axes, curve, dot, top, zero, xLabel);
  const says = element("p", { id: `${id}-says`, "aria-live": "polite" });

  const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / STEPS;
  const y = (rate) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * rate) / 0.01;
  const draw = () => {
    const rate = (step) => (peak.input.value / 10000) * SHAPES[select.value](step, Number(warmup.input.value));
    let path = "";
    for (let step = 1; step <= STEPS; step += 5) path += `${path ? "L" : "M"}${x(step).toFixed(1)},${y(rate(step)).toFixed(1)}`;
    curve.setAttribute("d", path);
    const here = Number(at.input.value);
    dot.setAttribute("cx", x(here));
    dot.setAttribute("cy", y(rate(here)));
    says.textContent = `At step ${here} the learning rate is ${rate(here).toFixed(5)}, ${Math.round((100 * rate(here)) / (peak.input.value / 10000))}% of its peak.`;
  };
  for (const input of [select, peak.input, warmup.input, at.input]) input.addEventListener("input", draw);
  host.replaceChildren(shapeRow, peak.row, warmup.row, at.row, svg, says);
  draw();
}

document.querySelectorAll('[data-explorer="schedule"]').forEach(render);
