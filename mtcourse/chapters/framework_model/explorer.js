// Document A's whole model, every matrix of it, writing a sentence word by word (chapter 7). Four
// trained models: as printed, with each of two repairs, and with both.

import { element, furnish, liveRegion, matrix, select, settingsOf, toggle, weight, wordList } from "../../figures/javascript/parts.js";

const BOS = 2;
const EOS = 3;

// --- the model ----------------------------------------------------------------------------------

const product = (A, B) => A.map((row) =>
  B[0].map((_, j) => row.reduce((sum, value, k) => sum + value * B[k][j], 0)));

const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

export function softmaxOf(scores) {
  const highest = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - highest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

// PE(pos, 2i) = sin(pos / 10000^(2i / d)), PE(pos, 2i+1) = cos of the same.
export const positions = (length, d) => Array.from({ length }, (_, pos) =>
  Array.from({ length: d }, (_, c) => {
    const angle = pos / 10000 ** ((c - (c % 2)) / d);
    return c % 2 ? Math.cos(angle) : Math.sin(angle);
  }));

const sumOf = (A, B) => A.map((row, i) => row.map((value, j) => value + B[i][j]));
const placed = (rows) => sumOf(rows, positions(rows.length, rows[0].length));

// X asks, Z answers; causal: row i sees keys up to i.
function attention(X, Z, [W_Q, W_K, W_V], causal = false) {
  const scores = product(product(X, W_Q), transposed(product(Z, W_K)));
  const root = Math.sqrt(W_Q[0].length);
  const weights = scores.map((row, i) =>
    softmaxOf(row.map((score, j) => (causal && j > i ? -Infinity : score / root))));
  return { weights, output: product(weights, product(Z, W_V)) };
}

const feedForward = (A, W_1, W_2) =>
  product(product(A, W_1).map((row) => row.map((value) => Math.max(0, value))), W_2);

const projections = (W, side) => ["Q", "K", "V"].map((of) => W[`W_${of}_${side}`]);

// Logits of each row, and where each row looked in the source.
export function forward({ weights: W, target_positions }, source, read) {
  const H = placed(source.map((id) => W.W_E_X[id]));
  const A = attention(H, H, projections(W, "E")).output;
  const H_E = feedForward(A, W.W_1_E, W.W_2_E);
  const embedded = read.map((id) => W.W_E_Y[id]);
  const G = target_positions ? placed(embedded) : embedded;
  const A_D = attention(G, G, projections(W, "D"), true).output;
  const cross = attention(A_D, H_E, projections(W, "C"));
  const H_D = feedForward(cross.output, W.W_1_D, W.W_2_D);
  return { logits: product(H_D, W.W_O), looks: cross.weights };
}

// The probabilities of the word after those that were read.
export const nextOf = (model, source, read) => softmaxOf(forward(model, source, read).logits.at(-1));

const largest = (values) => values.indexOf(Math.max(...values));

// What the model reads in the end, if it writes on from here by itself.
export function writeOn(model, source, read, most) {
  const written = [...read];
  while (written.length < most && written.at(-1) !== EOS) {
    written.push(largest(nextOf(model, source, written)));
  }
  return written;
}

// --- the figure ---------------------------------------------------------------------------------

const SHOWN = 5;
const chosenModel = (models, { shift, positions: placedToo }) =>
  models.find((of) => of.shift === shift && of.target_positions === placedToo);

function candidateTable() {
  const body = element("tbody");
  const head = element(
    "tr", {}, element("th", { scope: "col" }, "next word"),
    element("th", { scope: "col", class: "explorer-wide" }, "probability"),
  );
  const caption = element("caption", {}, "What it would write next");
  const table = element("table", { class: "explorer-row-table" }, caption, element("thead", {}, head), body);
  const draw = (names, probabilities) => {
    const order = probabilities.map((_, id) => id).sort((a, b) => probabilities[b] - probabilities[a]);
    body.replaceChildren(...order.slice(0, SHOWN).map((id) => {
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", probabilities[id]);
      const said = element("span", { class: "explorer-weight" }, weight(probabilities[id], 3));
      return element("tr", {}, element("th", { scope: "row" }, names[id]), element("td", {}, bar, said));
    }));
  };
  return { table, draw };
}

function looksTable(rows, columns, looks) {
  const table = matrix({
    title: "Where each row looks in the source", rows, columns,
    fill: (cell, i, j) => {
      cell.textContent = weight(looks[i][j]);
      cell.className = "explorer-tint";
      cell.style.setProperty("--weight", looks[i][j]);
    },
  });
  table.draw();
  return table;
}

const dutch = (text) => element("span", { lang: "nl" }, text);

function sentenceFor(names, read, probabilities, right) {
  const best = largest(probabilities);
  const said = read.slice(1).map((id) => names[id]).join(" ");
  const wanted = right.map((id) => names[id]).join(" ");
  if (read.at(-1) === EOS) {
    const isRight = read.length === right.length + 1 && right.every((id, i) => read[i + 1] === id);
    return [element("b", {}, isRight ? "It wrote the right translation." : "It ended."), " Right is: ", dutch(wanted)];
  }
  return [
    "Next it writes ", element("b", { lang: "nl" }, `“${names[best]}”`), `, with probability ${weight(probabilities[best], 3)}. `,
    ...(said ? ["So far: ", dutch(said), ". "] : ["Nothing is written yet. "]), "Right is: ", dutch(wanted),
  ];
}

function render({ model, el }) {
  const { models, source_words, target_words, sentences, most } = model.get("data");
  const { settings, keep } = settingsOf(model);
  const says = liveRegion();
  const candidates = candidateTable();
  const place = element("div", {
    class: "explorer-scroll", tabindex: "0", role: "region", "aria-label": "Where each row looks in the source",
  });
  const words = wordList({ label: "What the decoder has read", lang: "nl", change: (at) => set({ at }) });
  let buttons;

  const draw = () => {
    const { source, target } = sentences[settings.sentence];
    const current = chosenModel(models, settings);
    const { read } = settings;
    const { logits, looks } = forward(current, source, read);
    const probabilities = softmaxOf(logits.at(-1));
    const names = read.map((id) => target_words[id]);
    settings.at = Math.min(settings.at, read.length - 1);
    words.offer(names, settings.at);
    exchange.offer(target_words.map((word, id) => [String(id), word]), String(read[settings.at]));
    candidates.draw(target_words, probabilities);
    place.replaceChildren(looksTable(names, source.map((id) => source_words[id]), looks));
    const done = read.at(-1) === EOS || read.length >= most;
    buttons.next.disabled = done;
    buttons.end.disabled = done;
    buttons.back.disabled = read.length === 1;
    says.replaceChildren(...sentenceFor(target_words, read, probabilities, target));
  };
  const set = (changes) => {
    Object.assign(settings, changes);
    draw();
    keep();
  };
  const goOn = (length) => {
    const { source } = sentences[settings.sentence];
    const read = writeOn(chosenModel(models, settings), source, settings.read, length);
    set({ read, at: read.length - 1 });
  };
  const exchange = select({
    label: "Put another word in its place", value: "", options: [],
    change: (id) => set({ read: settings.read.map((of, i) => (i === settings.at ? Number(id) : of)) }),
  });
  const button = (text, click) => element("button", { type: "button", click }, text);
  buttons = {
    next: button("Write the next word", () => goOn(settings.read.length + 1)),
    end: button("Write to the end", () => goOn(most)),
    back: button("Take one back", () => set({ read: settings.read.slice(0, -1), at: settings.read.length - 2 })),
    start: button("Start again", () => set({ read: [BOS], at: 0 })),
  };
  const controls = element(
    "div", { class: "explorer-controls" },
    select({
      label: "Sentence", options: sentences.map(({ text }, i) => [String(i), text]), value: String(settings.sentence),
      change: (i) => set({ sentence: Number(i), read: [BOS], at: 0 }),
    }),
    toggle({ label: "Trained with the target shifted right", checked: settings.shift, change: (shift) => set({ shift }) }),
    toggle({ label: "Positions on the target side", checked: settings.positions, change: (of) => set({ positions: of }) }),
    element("div", {}, ...Object.values(buttons).flatMap((of) => [of, " "])),
  );
  furnish(
    el, "Explorer of the framework model", controls,
    element("p", { class: "explorer-label" }, "What the decoder has read. Choose a place to change its word."),
    words, exchange, element("div", { class: "explorer-pair" }, place, candidates.table), says,
  );
  draw();
}

export default { render };
