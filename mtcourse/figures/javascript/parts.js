// What the explorers are made of: labelled inputs, a list of words, a grid of numbers, a sentence
// that is read aloud. Each is one stop of the Tab key; arrow keys move within it.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "line", "text"]);

let made = 0;
const page = Math.random().toString(36).slice(2, 8); // several copies of this file share a page

export const newId = (name) => `${name}-${page}-${(made += 1)}`;

// JupyterLab moves between cells with the arrow keys, unless what has the focus says this.
export const KEEPS_KEYS = { "data-lm-suppress-shortcuts": "true" };

// A value that is a function listens to the event of that name; false and null leave out.
export function element(tag, attributes = {}, ...children) {
  const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

// The host's element becomes an explorer with this name and these children.
export function furnish(el, name, ...children) {
  el.classList.add("mtcourse-explorer");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", name);
  el.replaceChildren(...children);
}

export function slider({ label, min, max, step = 1, value, show = String, change }) {
  const id = newId("slider");
  const said = element("span", { class: "explorer-value", "aria-hidden": "true" });
  const input = element("input", { type: "range", id, min, max, step, value, ...KEEPS_KEYS });
  const say = () => {
    said.textContent = show(Number(input.value));
    input.setAttribute("aria-valuetext", said.textContent);
    input.style.setProperty("--at", `${(100 * (input.value - min)) / (max - min)}%`);
  };
  input.addEventListener("input", () => {
    say();
    change(Number(input.value));
  });
  say();
  const row = element("div", { class: "explorer-slider" });
  row.append(element("label", { for: id }, ...[label].flat()), input, said);
  return Object.assign(row, { input });
}

// options: [value, text] pairs; the values are strings.
export function select({ label, options, value, change }) {
  const id = newId("select");
  const input = element("select", { id, change: () => change(input.value), ...KEEPS_KEYS });
  const offer = (pairs, chosen) => {
    input.replaceChildren(...pairs.map(([of, text]) => element("option", { value: of }, text)));
    input.value = chosen;
  };
  offer(options, value);
  const row = element("div", { class: "explorer-select" });
  row.append(element("label", { for: id }, label), input);
  return Object.assign(row, { offer, input });
}

export function toggle({ label, checked, change }) {
  const id = newId("toggle");
  const input = element("input", {
    type: "checkbox", id, checked, change: () => change(input.checked), ...KEEPS_KEYS,
  });
  return element("div", { class: "explorer-toggle" }, input, element("label", { for: id }, label));
}

// A few named choices of which one holds: radio buttons.
export function choice({ legend, options, value, change }) {
  const name = newId("choice");
  const fieldset = element("fieldset", { class: "explorer-choice" }, element("legend", {}, legend));
  const inputs = [];
  for (const [of, text] of options) {
    const id = newId("choice");
    const input = element("input", {
      type: "radio", name, id, value: of, checked: of === value, change: () => change(of), ...KEEPS_KEYS,
    });
    inputs.push(input);
    fieldset.append(element("span", {}, input, element("label", { for: id }, text)));
  }
  const choose = (of) => { for (const input of inputs) input.checked = input.value === of; };
  return Object.assign(fieldset, { choose });
}

const KEYS = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  Home: [0, -Infinity], End: [0, Infinity],
};

const within = (value, length) => Math.max(0, Math.min(length - 1, value));

// Words in a row, one of them chosen. lang: theirs, where it is not the page's.
export function wordList({ label, change, lang }) {
  let words = [];
  let chosen = 0;
  const id = newId("words");
  const list = element("div", {
    role: "listbox", tabindex: "0", class: "explorer-words",
    "aria-label": label, "aria-orientation": "horizontal", ...KEEPS_KEYS,
  });
  const choose = (index) => {
    chosen = within(index, words.length);
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", i === chosen));
    list.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  };
  const offer = (offered, index) => {
    words = offered;
    list.replaceChildren(...words.map((word, i) => {
      const press = () => { choose(i); change(i); };
      return element("span", { role: "option", id: `${id}-${i}`, lang, click: press }, word);
    }));
    choose(index);
  };
  list.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    choose(chosen + step[0] + step[1]);
    change(chosen);
  });
  return Object.assign(list, { offer, choose });
}

const UPRIGHT = 3; // letters of a column's head that stand beside each other; longer heads are turned

function emptyTable(title, rows, columns, labelled) {
  const head = element("tr", {}, element("td", { class: "explorer-corner" }));
  head.append(...columns.map((word) => element("th", { scope: "col" }, element("span", {}, word))));
  const body = element("tbody");
  const cells = rows.map((word) => {
    const line = element("tr", {}, element("th", { scope: "row" }, word));
    const made = columns.map(() => element("td"));
    line.append(...made);
    body.append(line);
    return made;
  });
  const caption = element("caption", {}, title);
  const turned = columns.some((word) => word.length > UPRIGHT);
  const name = turned ? "explorer-matrix explorer-turned" : "explorer-matrix";
  const table = element("table", { class: name, ...labelled }, caption, element("thead", {}, head), body);
  return { table, cells, caption };
}

// A matrix to look at: rows and columns are words, fill(cell, i, j) says what stands in a cell.
export function matrix({ title, rows, columns, fill }) {
  const { table, cells, caption } = emptyTable(title, rows, columns, {});
  const draw = () => cells.forEach((line, i) => line.forEach((cell, j) => fill(cell, i, j)));
  return Object.assign(table, { cells, draw, say: (...text) => caption.replaceChildren(...text) });
}

// A matrix to move in: move(i, j) hears of the cell that was reached, press(i, j) of the one that was
// pressed, by a click, Enter or Space.
export function grid({ title, rows, columns, fill, move, press = () => {} }) {
  const { table, cells, caption } = emptyTable(title, rows, columns, { role: "grid" });
  let at = [0, 0];
  const reach = (i, j) => {
    cells[at[0]][at[1]].tabIndex = -1;
    at = [within(i, rows.length), within(j, columns.length)];
    cells[at[0]][at[1]].tabIndex = 0;
  };
  const go = (i, j) => {
    reach(i, j);
    cells[at[0]][at[1]].focus();
    move(...at);
  };
  cells.forEach((line, i) => line.forEach((cell, j) => {
    for (const [name, value] of Object.entries({ role: "gridcell", ...KEEPS_KEYS })) cell.setAttribute(name, value);
    cell.tabIndex = -1;
    cell.addEventListener("click", () => { go(i, j); press(i, j); });
  }));
  table.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (step) go(at[0] + step[0], at[1] + step[1]);
    else if (event.key === "Enter" || event.key === " ") press(...at);
    else return;
    event.preventDefault();
  });
  const draw = () => cells.forEach((line, i) => line.forEach((cell, j) => fill(cell, i, j)));
  reach(0, 0);
  return Object.assign(table, { cells, draw, reach, say: (...text) => caption.replaceChildren(...text) });
}

// What a screen reader says when it changes; everybody else reads it.
export const liveRegion = () => element("p", { class: "explorer-says", "aria-live": "polite" });

// A number as the page writes it, with a true minus sign.
export function written(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "∞" : "−∞";
  const text = size < 10000 ? size.toFixed(digits) : size.toExponential(0).replace("e+", "e");
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// A weight: "0" is nothing at all, and however small a weight is, it is not written as 0.
export function weight(value, digits = 2) {
  if (value === 0) return "0";
  return value < 0.5 * 10 ** -digits ? value.toExponential(0).replace("e-", "e−") : written(value, digits);
}

// Settings start as Python gives them; what the reader changes goes back there, if there is a kernel.
export function settingsOf(model) {
  const settings = { ...model.get("settings") };
  const keep = () => {
    model.set("settings", { ...settings });
    model.save_changes();
  };
  return { settings, keep };
}
