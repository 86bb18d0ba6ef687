// Formulas as text with real subscripts.

import { element } from "./parts.js";

// "2 L h d_k T" as nodes: a letter, an underscore and what follows become a letter with a subscript.
export const subscripted = (text) =>
  text.split(/((?<![A-Za-z])[A-Za-z]_\w+)/).filter(Boolean).map((part) => {
    const found = /^([A-Za-z])_(\w+)$/.exec(part);
    return found ? element("span", {}, found[1], element("sub", {}, found[2])) : part;
  });
