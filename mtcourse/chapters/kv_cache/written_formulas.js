// Sentences with formulas that are read aloud (chapter 14).

import { element } from "../../figures/javascript/parts.js";
import { subscripted } from "../../figures/javascript/subscripts.js";

// Puts a sentence into a region, its first part bold. It is written anew only if it says something
// else: or else a screen reader repeats it.
export function sayIn(region, [first, ...rest]) {
  const text = [first, ...rest].join("");
  if (region.dataset.said === text) return;
  region.dataset.said = text;
  region.replaceChildren(element("b", {}, first), ...rest.flatMap(subscripted));
}
