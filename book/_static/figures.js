// A figure or a printed table that is wider than its box can be scrolled with the keyboard, and only then
// is a stop of the Tab key.
(() => {
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
  const watch = () => {
    const observer = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
    document.querySelectorAll(".figure-box, .printed").forEach((box) => observer.observe(box));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
  else watch();
})();
