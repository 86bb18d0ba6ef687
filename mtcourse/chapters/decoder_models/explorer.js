// The triangle of predictions (chapter 13): each row predicts a token from those before it. Click a
// cell to see what its row reads and gives, and how large a gradient it sends to that input.

import {
  choice, element, furnish, grid, liveRegion, select, settingsOf, toggle, weight,
} from "../../figures/javascript/parts.js";
import { candidatesOf, heatOf, nameOf, roleOf, rowSays, sentenceSays, viewOf } from "./triangle.js";

const CELL = "clamp(1.3rem, 7cqi, 1.55rem)"; // narrower on a phone, still wide enough to touch
const WAYS = [["pass", "in one pass"], ["prefixes", "one prefix at a time"]];

function triangle({ inputs, answers }, change) {
  let shown;
  let heat;
  const table = grid({
    title: "Rows predict, columns are read. The stronger the blue, the larger the gradient.",
    rows: answers,
    columns: inputs,
    move: (t, j) => change([t, j]),
    fill: (cell, t, j) => {
      const role = roleOf(shown, t, j);
      const norm = weight(shown.run.gradients[t][j], 3);
      const chosen = shown.t === t && shown.j === j;
      cell.className = [role === "hidden" && "explorer-hidden", chosen && "explorer-chosen"].filter(Boolean).join(" ");
      cell.textContent = role === "hidden" ? norm : "";
      cell.style.setProperty("--weight", heat[t][j]);
      cell.style.background = role === "absent" ? "none" : "";
      cell.style.boxShadow = { absent: "none", answer: "inset 0 0 0 2px var(--warning)" }[role] ?? "";
      const says = { absent: "not in this run", hidden: `hidden, ${norm}`, answer: `the answer, ${norm}` }[role] ?? norm;
      cell.setAttribute("aria-label", `${inputs[j]}: ${says}`);
      cell.title = `“${answers[t]}” from “${inputs[j]}”: ${says}`;
    },
  });
  table.classList.add("explorer-heat");
  for (const cell of table.cells.flat()) cell.style.width = cell.style.minWidth = CELL;
  const show = (view) => {
    [shown, heat] = [view, heatOf(view)];
    table.draw();
    [...table.tBodies[0].rows].forEach((line, t) => line.classList.toggle("explorer-chosen", t === view.t));
  };
  return { table, show };
}

function candidates() {
  const body = element("tbody");
  const caption = element("caption");
  const head = element(
    "tr", {},
    element("th", { scope: "col" }, "next token"), element("th", { scope: "col" }, "rank"),
    element("th", { scope: "col", class: "explorer-wide" }, "probability"),
  );
  const table = element("table", { class: "explorer-row-table" }, caption, element("thead", {}, head), body);
  const show = (view) => {
    caption.replaceChildren(element("b", {}, nameOf(view)), " predicts");
    body.replaceChildren(...candidatesOf(view, view.t).map(([token, rank, p]) => {
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", p);
      const right = rank === view.run.ranks[view.t];
      const name = right ? [element("b", {}, `${token} `, element("span", { "aria-hidden": "true" }, "✓"))] : [token];
      if (right) name.push(element("span", { class: "explorer-unseen" }, " (the right token)"));
      return element(
        "tr", {},
        element("th", { scope: "row" }, ...name), element("td", {}, String(rank)),
        element("td", {}, bar, element("span", { class: "explorer-weight" }, weight(p, 3))),
      );
    }));
  };
  return { table, show };
}

// A region is written anew only if it says something else: or else a screen reader repeats it.
function say(region, [first, ...rest]) {
  if (region.textContent !== [first, ...rest].join("")) region.replaceChildren(element("b", {}, first), ...rest);
}

function controlsOf(data, settings, set) {
  const sentences = data.sentences.map(({ text }, k) => [String(k), text]);
  return element(
    "div", { class: "explorer-controls" },
    select({
      label: "Sentence", options: sentences, value: String(settings.sentence),
      change: (value) => set({ sentence: Number(value) }),
    }),
    element(
      "div", { class: "explorer-columns" },
      choice({ legend: "Computed", options: WAYS, value: settings.way, change: (way) => set({ way }) }),
      toggle({ label: "Causal mask", checked: settings.mask, change: (mask) => set({ mask }) }),
    ),
  );
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const place = element("div", { class: "explorer-scroll" });
  const list = candidates();
  const ofRow = liveRegion();
  const ofSentence = liveRegion();
  let map;

  const draw = () => {
    const view = viewOf(data, settings);
    map.show(view);
    list.show(view);
    say(ofRow, rowSays(view));
    say(ofSentence, sentenceSays(view));
  };
  const build = () => {
    const view = viewOf(data, settings);
    settings.at = [view.t, view.j];
    map = triangle(view, (at) => set({ at }));
    map.table.reach(...settings.at);
    place.replaceChildren(map.table);
    draw();
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("sentence" in changes) build();
    else draw();
    keep();
  };

  furnish(
    el, "Explorer of predictions", controlsOf(data, settings, set),
    element("div", { class: "explorer-pair" }, place, list.table), ofRow, ofSentence,
  );
  build();
}

export default { render };
