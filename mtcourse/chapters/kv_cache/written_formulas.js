// Formulas as text with real subscripts (chapter 14), and sentences that are read aloud.

import { element } from "../../figures/javascript/parts.js";

// "2 L h d_k T" as nodes: a letter, an underscore and what follows become a letter with a subscript.
export const subscripted = (text) =>
  text.split(/((?<![A-Za-z])[A-Za-z]_\w+)/).filter(Boolean).map((part) => {
    const found = /^([A-Za-z])_(\w+)$/.exec(part);
    return found ? element("span", {}, found[1], element("sub", {}, found[2])) : part;
  });

// Puts a sentence into a region, its first part bold. It is written anew only if it says something
// else: or else a screen reader repeats it.
export function sayIn(region, [first, ...rest]) {
  const text = [first, ...rest].join("");
  if (region.dataset.said === text) return;
  region.dataset.said = text;
  region.replaceChildren(element("b", {}, first), ...rest.flatMap(subscripted));
}
