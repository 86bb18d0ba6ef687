// A translator whose heads can be taken out (chapter 9): what does each head of a layer look at, how
// much does it add, and what is written without it?

import {
  element, furnish, liveRegion, matrix, newId, select, settingsOf, toggle, weight, wordList, written,
} from "../../figures/javascript/parts.js";

const sum = (values) => values.reduce((total, value) => total + value, 0);
const pairs = (common, kept) =>
  sum(common.flatMap((line, j) => line.filter((_, k) => kept[j] && kept[k])));

// common[j][k] is the dot product of what heads j and k add to a token. The share of head j is how
// much of it points the way of the whole sum; the shares of all heads add up to 1.
export function sharesOf(common) {
  const whole = sum(common.map(sum));
  return common.map((line) => sum(line) / whole);
}

// How long the sum of the heads that are kept is, over the sum of all.
export const lengthLeft = (common, kept) =>
  Math.sqrt(Math.max(0, pairs(common, kept)) / pairs(common, kept.map(() => true)));

export const keyOf = (kept) => kept.map((there) => (there ? "1" : "0")).join("");

// What the settings choose.
export function viewOf({ sentences }, { sentence, layer, token, kept }) {
  const of = sentences[sentence];
  const { asks, answers, weights, common, written: translations } = of.layers[layer];
  const at = Math.min(token, of[asks].length - 1);
  return {
    asking: of[asks], answering: of[answers], at,
    rows: weights.map((head) => head[at]),
    shares: sharesOf(common[at]),
    left: lengthLeft(common[at], kept),
    whole: of.translation,
    now: translations[keyOf(kept)],
  };
}

const percent = (share) => `${written(100 * share, 0)}%`;

// The words of a translation; those that are not in the same place from the beginning or from the
// end of the other are set in bold.
function compared(now, whole) {
  const [a, b] = [now.split(" "), whole.split(" ")];
  let first = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < a.length - first && last < b.length - first && a.at(-1 - last) === b.at(-1 - last)) last += 1;
  const end = a.length - last;
  return [
    a.slice(0, first).join(" "), first && first < end ? " " : "",
    first < end ? element("b", {}, a.slice(first, end).join(" ")) : "",
    last && end > 0 ? " " : "", a.slice(end).join(" "),
  ];
}

function tableOf(view, kept) {
  const heads = view.rows.map((_, j) => `head ${j + 1}`);
  const table = matrix({
    title: "", rows: heads, columns: ["adds", ...view.answering],
    fill: (cell, j, i) => {
      if (i === 0) {
        cell.textContent = kept[j] ? percent(view.shares[j]) : "–";
        return;
      }
      const share = view.rows[j][i - 1];
      cell.style.setProperty("--weight", kept[j] ? share : 0);
      cell.classList.add("explorer-tint");
      cell.textContent = kept[j] && share >= 0.095 ? written(share, 1) : "";
      cell.title = `head ${j + 1} gives ${weight(share)} to ${view.answering[i - 1]}`;
    },
  });
  table.say(`Where “${view.asking[view.at]}” looks, and what each head adds`);
  table.draw();
  return table;
}

function sentenceOf(view, kept) {
  const gone = kept.flatMap((there, j) => (there ? [] : [j + 1]));
  const names = gone.length > 1 ? `heads ${gone.slice(0, -1).join(", ")} and ${gone.at(-1)}` : `head ${gone[0]}`;
  return [
    gone.length ? `Without ${names}: ` : "With all heads: ",
    ...compared(view.now, view.whole),
    gone.length ? (view.now === view.whole ? " – the same as with all heads. " : ` – with all heads: ${view.whole} `) : " ",
    `Of what the layer adds to “${view.asking[view.at]}”, the length is ${percent(view.left)} of the whole.`,
  ];
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const words = wordList({ label: "The token that asks", change: (token) => set({ token }) });
  const place = element("div", {
    class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "Where each head looks",
  });
  const says = liveRegion();
  says.id = newId("heads");

  const draw = () => {
    const view = viewOf(data, settings);
    place.replaceChildren(tableOf(view, settings.kept));
    says.replaceChildren(...sentenceOf(view, settings.kept));
  };
  const offer = () => {
    const view = viewOf(data, settings);
    settings.token = view.at;
    words.offer(view.asking, view.at);
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    if ("sentence" in changes || "layer" in changes) offer();
    draw();
    keep();
  };

  const number = (name) => (value) => set({ [name]: Number(value) });
  const choices = element(
    "div", { class: "explorer-selects" },
    select({
      label: "Sentence", options: data.sentences.map(({ text }, k) => [String(k), text]),
      value: String(settings.sentence), change: number("sentence"),
    }),
    select({
      label: "Layer", options: data.layers.map((name, k) => [String(k), name]),
      value: String(settings.layer), change: number("layer"),
    }),
  );
  const heads = element(
    "div", { class: "explorer-columns", role: "group", "aria-label": "Heads that are kept" },
    ...settings.kept.map((there, j) => toggle({
      label: `head ${j + 1}`, checked: there,
      change: (checked) => set({ kept: settings.kept.map((of, k) => (k === j ? checked : of)) }),
    })),
  );
  furnish(
    el, "Explorer of heads",
    element("div", { class: "explorer-controls" }, choices, heads),
    element("p", { class: "explorer-label" }, "The token that asks"), words,
    place, says,
  );
  offer();
  draw();
}

export default { render };
