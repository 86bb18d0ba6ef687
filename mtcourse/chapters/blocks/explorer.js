// Blocks (chapter 10): depth and placement of the norm against the gradient, and what happens to the
// outputs when two rows are swapped or one number changes.

import { gradientNorms } from "./gradient_norms.js";
import { element, furnish, settingsOf } from "../../figures/javascript/parts.js";
import { swappedRows } from "./swapped_rows.js";

function part(title, children, style = "") {
  return element(
    "div", { role: "group", "aria-label": title, style },
    element("p", { style: "margin: 0 0 0.5rem" }, element("b", {}, title)), ...children,
  );
}

function render({ model, el }) {
  const data = model.get("data");
  const { settings, keep } = settingsOf(model);
  furnish(
    el, "Explorer of blocks",
    part("Depth, placement of the norm, and the gradient", gradientNorms({ data, settings, keep })),
    part("Five rows through four functions", swappedRows({ data, settings, keep }), "margin-top: 1.6rem"),
  );
}

export default { render };
