// A figure or a printed table that is wider than its box can be scrolled with the keyboard, and only then
// is a stop of the Tab key. A picture knows how large 9 pixels are in it: figures.css lets no index be smaller.
(() => {
  const READABLE = 9;
  const mark = (box) => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    if (wide) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      const what = box.matches(".printed") ? "A table" : "A figure";
      box.setAttribute("aria-label", `${what} that scrolls sideways`);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  };
  const measure = ({ target, contentRect }) => {
    const scale = contentRect.width / target.viewBox.baseVal.width;
    if (scale > 0) target.style.setProperty("--index", `${(READABLE / scale).toFixed(2)}px`);
  };
  const watch = () => {
    const pictures = new ResizeObserver((entries) => entries.forEach(measure));
    document.querySelectorAll("svg.mtcourse-figure:has(tspan[font-size])").forEach((one) => pictures.observe(one));
    const observer = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
    document.querySelectorAll(".figure-box, .printed").forEach((box) => observer.observe(box));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
  else watch();
})();
