// The picture of the whole model, filled with the numbers of the sentence that a reader has translated.
// The page has the picture already, with the numbers of one sentence; see mtcourse/page/whole_model.py.

import { shownPiece } from "./examined.js";
import { loadTranslator } from "./loaded_translator.js";
import { phrase } from "./messages.js";
import { choice, element, newId, written } from "./parts.js";
import { BOS, EOS } from "./pieces.js";

const COLOURS = { positive: [0x2b, 0x7b, 0xba], negative: [0xc8, 0x57, 0x1b] };
const SHADES = 15;
const ROW_PIXELS = 4;
const OUTSHONE = 100; // of so many numbers of a row, one is too large for the scale of the colours
const COLUMNS_SHOWN = 8;

// --- numbers ------------------------------------------------------------------------------------

// What a model is to be watched with: the matrices by name, a row for each piece, as
// mtcourse/models/recorded_matrices.py names them.
export function recordedMatrices() {
  const matrices = {};
  const keep = (name, position, row) => { (matrices[name] ??= [])[position] = row; };
  const watch = (name, position, values) => {
    const kind = name.split(".").at(-1);
    if (values.q) {
      keep(`${name}.Q`, position, values.q);
      keep(`${name}.A`, position, values.row);
      values.weights.forEach((weights, head) => keep(`${name}.weights.${head}`, position, weights));
      for (const one of "KV") matrices[`${name}.${one}`] = [...values[one]];
    }
    if (kind.endsWith("embedding")) for (const one of "EPX") keep(`${name}.${one}`, position, values[one]);
    if (kind === "feed_forward") keep(`${name}.hidden`, position, values.hidden);
    if (kind.endsWith("_norm")) keep(`${name}.written`, position, values.written);
    if (kind === "output") keep(`${name}.logits`, position, values.logits);
  };
  return { matrices, watch };
}

// The decoder reads <bos> and then what it has written, but for the last piece.
export function runThrough(model, source, target) {
  const read = [BOS, ...target.slice(0, -1)];
  let state = model.start(source);
  for (const id of read) ({ state } = model.step(id, state));
  return read;
}

// --- drawing ------------------------------------------------------------------------------------

// How large a number has to be so that its colour is the strongest; see mtcourse/page/whole_model.py.
export function fullStrength(rows) {
  const columns = Math.max(...rows.map((row) => row.length));
  const sizes = Float64Array.from(rows.flatMap((row) => [...row]), Math.abs).sort().reverse();
  return Math.max(sizes[rows.length * Math.floor(columns / OUTSHONE)], 1e-30);
}

// Blue above zero, orange below, and the fainter the nearer to it. A row that ends early is masked.
function imageOf(rows) {
  const columns = Math.max(...rows.map((row) => row.length));
  const canvas = element("canvas", { width: columns, height: ROW_PIXELS * rows.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const largest = fullStrength(rows);
  for (let y = 0; y < canvas.height; y++) {
    const row = rows[Math.floor(y / ROW_PIXELS)];
    for (let x = 0; x < row.length; x++) {
      const opacity = Math.round(SHADES * Math.min(1, Math.abs(row[x]) / largest)) / SHADES;
      const colour = row[x] < 0 ? COLOURS.negative : COLOURS.positive;
      image.data.set([...colour, Math.round(255 * opacity)], 4 * (y * columns + x));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

// --- the picture --------------------------------------------------------------------------------

function wholeModel(el) {
  const { translator: folder, sentence, translation } = el.dataset;
  const buttons = [...el.querySelectorAll("[data-matrix]")];
  let block = 0;
  let shown = null; // the matrices, and the pieces of their rows
  let opened = null; // the button whose numbers are shown
  const panel = element("div", { class: "whole-numbers explorer-scroll", id: newId("numbers"), tabindex: "0", role: "group", "aria-label": phrase("Numbers") });
  const status = element("p", { class: "explorer-muted", role: "status" });

  const blocks = Array.from({ length: Number(el.dataset.blocks) }, (_, i) => [String(i), phrase("block {number}", { number: String(i + 1) })]);
  const chosen = choice({ legend: phrase("Numbers of"), options: blocks, value: "0", change: (of) => { block = Number(of); redraw(); } });
  el.querySelector(".whole-sizes").after(chosen, status);

  const nameOf = (button) => button.dataset.matrix.replace("{block}", block);

  async function fill(source, target) {
    const { matrices, watch } = recordedMatrices();
    const { model, ...tokenizers } = await loadTranslator(folder, { watch, progress: (share) => { status.textContent = phrase("The translator is loading: {share}", { share: `${Math.round(100 * share)}%` }); } });
    status.textContent = "";
    const ids = source ?? [...tokenizers.source.encode(sentence), EOS];
    const writes = target ?? [...tokenizers.target.encode(translation), EOS];
    const reads = runThrough(model, ids, writes);
    const named = (list, side) => list.map((id) => shownPiece(tokenizers[side].pieces[id]));
    shown = { matrices, writes, n: named(ids, "source"), m: named(reads, "target"), written: named(writes, "target") };
  }

  // Another sentence has been translated: its numbers take the place of those that are there.
  async function follow(source, target) {
    await fill(source, target);
    for (const side of "nm") el.querySelector(`[data-size="${side}"]`).textContent = shown[side].length;
    for (const [part, side] of [["source", "n"], ["target", "m"]]) {
      el.querySelector(`[data-part="${part}"] .whole-pieces`).replaceChildren(...shown[side].map((piece) => element("span", {}, piece)));
    }
    redraw();
  }

  async function redraw() {
    if (!shown && !(await ready())) return;
    for (const button of buttons) {
      const rows = shown.matrices[nameOf(button)];
      button.querySelector("img").src = imageOf(rows);
      button.style.setProperty("--rows", rows.length);
    }
    if (opened) panel.replaceChildren(tableOf(opened));
  }

  async function ready() {
    try {
      if (!shown) await fill();
      return true;
    } catch (error) {
      status.textContent = phrase("{problem}. Try again, and look whether you are online.", { problem: error.message });
      return false;
    }
  }

  async function press(button) {
    const closes = opened === button;
    opened?.setAttribute("aria-expanded", "false");
    panel.remove();
    opened = null;
    if (closes || !(await ready())) return;
    opened = button;
    button.setAttribute("aria-expanded", "true");
    panel.replaceChildren(tableOf(button));
    button.parentElement.after(panel);
  }

  // Columns have names where they are pieces. Of the others, and there are many, the first are shown;
  // of the logits those of the pieces that were written.
  function tableOf(button) {
    const name = nameOf(button);
    const rows = shown.matrices[name];
    const heads = button.dataset.rows === "n" ? shown.n : shown.m;
    const width = Math.max(...rows.map((row) => row.length));
    const size = `${rows.length} × ${width.toLocaleString("en")}`;
    let columns = Array.from({ length: Math.min(COLUMNS_SHOWN, width) }, (_, j) => [j, String(j + 1)]);
    let note = width > COLUMNS_SHOWN ? phrase(", columns 1 to {last}", { last: String(COLUMNS_SHOWN) }) : "";
    if (name.includes(".weights.")) {
      columns = (button.dataset.columns === "n" ? shown.n : shown.m).map((piece, j) => [j, piece]);
      note = "";
    } else if (name === "output.logits") {
      columns = shown.writes.map((id, j) => [id, shown.written[j]]);
      note = phrase(", columns of the pieces that were written");
    }
    const head = element("tr", {}, element("th", { scope: "col" }, phrase("piece")), ...columns.map(([, text]) => element("th", { scope: "col" }, text)));
    const body = rows.map((row, i) => element("tr", {}, element("th", { scope: "row" }, heads[i]), ...columns.map(([j]) => element("td", {}, j < row.length ? written(row[j]) : phrase("masked")))));
    const symbol = button.querySelector(".whole-symbol").cloneNode(true);
    return element("table", {}, element("caption", {}, symbol, `, ${size}${note}`), element("thead", {}, head), element("tbody", {}, ...body));
  }

  for (const button of buttons) {
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", panel.id);
    button.addEventListener("click", () => press(button));
  }
  document.addEventListener("mtcourse:translation", ({ detail }) => follow(detail.source, detail.target));
}

export function wholeModels() {
  for (const el of document.querySelectorAll("[data-whole-model]")) wholeModel(el);
}
