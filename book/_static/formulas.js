// A formula that is wider than its place scrolls, and only then the keyboard stops at it. Behind a
// root, Chromium leaves room for the widest root sign that the font has: it is taken back.
(() => {
  const closeRoots = () => {
    const roots = [...document.querySelectorAll("msqrt:not([style])")];
    const spare = roots.map((root) => {
      const { right, width } = root.getBoundingClientRect();
      const inside = root.lastElementChild.getBoundingClientRect().right;
      return width && (right - inside) / Number.parseFloat(getComputedStyle(root).fontSize);
    });
    for (const [place, root] of roots.entries()) {
      if (spare[place]) root.style.marginRight = `${-spare[place]}em`;
    }
  };
  const mark = () => {
    closeRoots();
    for (const box of document.querySelectorAll(".bd-article .math > .equation")) {
      stop(box, box.scrollWidth > box.clientWidth + 1);
    }
    for (const box of document.querySelectorAll(".bd-article span.math")) {
      box.classList.remove("wide");
    }
    const room = document.querySelector(".bd-article")?.clientWidth ?? 0;
    const wide = [...document.querySelectorAll(".bd-article span.math")].filter((box) => {
      const block = box.parentElement.closest("p, li, dd, td, th, figcaption, div, h1, h2, h3");
      return box.offsetWidth > Math.min(room, block?.clientWidth || room);
    });
    for (const box of document.querySelectorAll(".bd-article span.math[tabindex]")) {
      stop(box, false);
    }
    for (const box of wide) {
      box.classList.add("wide");
      stop(box, true);
    }
  };
  const stop = (box, scrolls) => {
    if (scrolls) {
      box.tabIndex = 0;
    } else {
      box.removeAttribute("tabindex");
    }
  };
  let width = 0;
  const watch = () => {
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width !== width) {
        width = contentRect.width;
        mark();
      } else {
        closeRoots(); // in what was hidden until now
      }
    }).observe(document.querySelector(".bd-article") ?? document.body);
    document.fonts?.ready.then(mark);
    addEventListener("toggle", mark, true);
  };
  if (document.readyState === "loading") {
    addEventListener("DOMContentLoaded", watch);
  } else {
    watch();
  }
})();
