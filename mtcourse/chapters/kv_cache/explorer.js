// The key/value cache (chapter 14): a matrix that fills row by row as a sentence is generated, with
// what each step costs, and beams that change places, with the keys and values that they read.

import { drawnBeams } from "./drawn_beams.js";
import { drawnMatrix } from "./drawn_matrix.js";
import { element, furnish, settingsOf } from "../../figures/javascript/parts.js";

function part(title, children, style = "") {
  return element(
    "div", { role: "group", "aria-label": title, style },
    element("p", { style: "margin: 0 0 0.5rem" }, element("b", {}, title)), ...children,
  );
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  const matrix = drawnMatrix({ data, settings, keep });
  const beams = drawnBeams({ data, settings, keep });
  furnish(
    el, "Explorer of the key/value cache",
    part("What each step computes", matrix.children),
    part("Beams that change places", beams.children, "margin-top: 1.6rem"),
  );
  matrix.begin();
  beams.begin();
}

export default { render };
