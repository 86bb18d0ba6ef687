// Shows the slides of a chapter one at a time: keys, buttons, a swipe; the address holds the slide (#3).
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const small = matchMedia("(max-width: 700px)"); // there a slide scrolls, and nothing is made smaller
  const paint = () => { root.dataset.theme = dark.matches ? "dark" : "light"; };
  paint();
  dark.addEventListener("change", paint);
  const IN_USE = ".mtcourse-explorer, select, input, textarea, .notes";
  const [LEAST, MOST] = [0.2, 1.25]; // a text of some lines needs no more than 1, an explorer may grow
  const WIDE = ".equation, .printed, .pst-scrollable-table-container, pre, .mtcourse-explorer, .mtcourse-explorer > *, .mtcourse-explorer > div > *, .explorer-scroll, .explorer-pair > *, .explorer-flow";
  let [slides, at] = [[], 0];

  // --- room: what is larger than its slide is made smaller ------------------------------------------

  const isTooLarge = (stage) =>
    stage.scrollHeight > stage.clientHeight + 1 ||
    [stage, ...stage.querySelectorAll(WIDE)].some((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 2);

  const fitsAt = (stage, zoom) => {
    stage.firstElementChild.style.zoom = zoom;
    return !isTooLarge(stage);
  };

  // Sets the largest zoom at which a slide is not cut, from one at which it fits to the most.
  function zoomed(stage, least, most, step = 0.01) {
    let [low, high] = [least, most];
    if ((small.matches && !root.matches(".printing")) || fitsAt(stage, most)) low = most;
    while (low < most && high - low > step) {
      const middle = (low + high) / 2;
      if (fitsAt(stage, middle)) low = middle;
      else high = middle;
    }
    stage.firstElementChild.style.zoom = low;
    return low;
  }

  function fit(slide) {
    const stage = slide.querySelector(".stage");
    root.style.setProperty("--pixel", parseFloat(getComputedStyle(root).fontSize) / 16);
    const explorer = slide.querySelector(".mtcourse-explorer");
    if (explorer) arrange(stage, explorer, partsOf(explorer));
    else zoomed(stage, LEAST, 1);
    markScrolling(stage);
  }

  // What still scrolls can be scrolled with the keyboard.
  function markScrolling(stage) {
    if (stage.scrollHeight > stage.clientHeight + 1) stage.tabIndex = 0;
    else stage.removeAttribute("tabindex");
  }

  // --- explorers: of several arrangements, the one that leaves them largest -------------------------

  const seen = (box) => [...box.children].filter((part) => !part.matches("script, style"));

  // An explorer that is nothing but parts with headings of their own shows one part at a time.
  function partsOf(explorer) {
    const parts = seen(explorer);
    const apart = parts.length > 1 && parts.every((part) => part.querySelector(":scope > p:first-child > b"));
    return apart && !small.matches ? parts : [];
  }

  // In one column, in several, or with the first of its pieces, the controls, beside the others.
  function* ways(box) {
    const ends = seen(box).map((piece, i) => (piece.offsetHeight ? i + 1 : 0)).filter(Boolean);
    for (const after of ends.slice(0, -1)) for (const share of [0.36, 0.3, 0.43, 0.5]) yield { columns: 1, after, share };
    for (const columns of [1, 2, 3]) yield { columns, after: 0 };
  }

  function lay(box, { columns, after, share = 1 }) {
    box.style.setProperty("--columns", columns);
    box.style.setProperty("--share", share);
    box.classList.toggle("in-columns", columns > 1);
    box.classList.toggle("is-split", after > 0);
    seen(box).forEach((piece, i) => piece.classList.toggle("aside", i < after));
  }

  // How large a chart's words stay beside those around it: it shrinks with its column. Charts in a box of
  // their own are drawn again for each width.
  function charted(box) {
    const charts = [...box.querySelectorAll(":scope > .explorer-chart")];
    const pixel = Number(root.style.getPropertyValue("--pixel"));
    return Math.min(1, ...charts.map((chart) => chart.clientWidth / chart.viewBox.baseVal.width / pixel)) ** 0.7;
  }

  function arrange(stage, explorer, parts) {
    const printing = root.matches(".printing");
    const current = Math.max(0, parts.findIndex((part) => part.matches(".current")));
    parts.forEach((part, i) => { part.classList.toggle("current", i === current); part.hidden = !printing && i !== current; });
    const box = parts.length && !printing ? parts[current] : explorer;
    [explorer, ...parts].forEach((one) => lay(one, { columns: 1, after: 0 }));
    if (small.matches && !printing) return zoomed(stage, 1, 1);
    let [best, most] = [{ columns: 1, after: 0 }, LEAST];
    for (const way of [...ways(box)]) {
      lay(box, way);
      const worth = fitsAt(stage, most) ? zoomed(stage, most, MOST, 0.04) * charted(box) : 0;
      if (worth > most * 1.03) [best, most] = [way, worth];
    }
    lay(box, best);
    return zoomed(stage, LEAST, MOST);
  }

  // The part before or after the one that an explorer shows, if it has one.
  function turn(by) {
    const explorer = slides[at].querySelector(".mtcourse-explorer");
    const parts = explorer ? partsOf(explorer) : [];
    const next = parts[parts.findIndex((part) => part.matches(".current")) + by];
    if (!next) return false;
    parts.forEach((part) => part.classList.toggle("current", part === next));
    fit(slides[at]);
    return true;
  }

  // What a reader does can make an explorer larger: then it is shown smaller, and stays where it is.
  const watched = new ResizeObserver(([{ target }]) => {
    const stage = target.closest(".stage");
    if (target.closest(".current") && isTooLarge(stage)) zoomed(stage, LEAST, Number(stage.firstElementChild.style.zoom) || 1);
    markScrolling(stage);
  });

  // --- moving ---------------------------------------------------------------------------------------

  const waits = () => slides[at].matches(".question:not(.revealed)");

  function say() {
    const [said, on] = [".said", "[data-do=on]"].map((name) => document.querySelector(name));
    document.querySelector("nav select").value = at + 1;
    document.querySelector("[data-do=back]").disabled = at === 0;
    on.textContent = waits() ? "Answer" : "Next";
    on.disabled = at === slides.length - 1 && !waits();
    const answer = slides[at].matches(".revealed") && slides[at].querySelector("[data-right]");
    said.textContent = `Slide ${at + 1} of ${slides.length}: ${(answer || slides[at].querySelector("h2")).textContent}`;
  }

  function show(number, keepAddress = false) {
    at = Math.max(0, Math.min(slides.length - 1, number));
    slides.forEach((slide, i) => slide.classList.toggle("current", i === at));
    fit(slides[at]);
    if (!keepAddress) history.replaceState(null, "", `#${at + 1}`);
    say();
  }

  function reveal(shown) {
    slides[at].classList.toggle("revealed", shown);
    say();
  }

  const moves = {
    on: () => (waits() ? reveal(true) : turn(1) || (at < slides.length - 1 && show(at + 1))),
    back: () => (slides[at].matches(".question.revealed") ? reveal(false) : turn(-1) || show(at - 1)),
    first: () => show(0),
    last: () => show(slides.length - 1),
    notes: () => {
      const shown = root.classList.toggle("with-notes");
      document.querySelector("[data-do=notes]").setAttribute("aria-pressed", shown);
      fit(slides[at]);
    },
    leave: () => document.activeElement?.blur(),
  };
  const KEYS = {
    ArrowRight: "on", ArrowDown: "on", PageDown: "on", " ": "on",
    ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
    Home: "first", End: "last", n: "notes", Escape: "leave",
  };

  function press(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const name = event.key === " " && event.shiftKey ? "back" : KEYS[event.key];
    const inUse = event.target.closest(IN_USE) && name !== "leave";
    const pressed = event.key === " " && event.target.closest("button, a");
    // On a phone, and with notes, the keys that scroll go on scrolling until the slide's end.
    const scrolls = event.key.startsWith("Arrow") && event.target.closest("[tabindex='0']");
    if (!name || inUse || pressed || scrolls) return;
    event.preventDefault();
    moves[name]();
  }

  // The slide that an address asks for: its number, an explorer with its settings, or a place on it.
  function follow() {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (/^\d+$/.test(hash)) return show(hash - 1);
    const name = new URLSearchParams(hash).get("explorer")?.replace(/\.\d+$/, "");
    const place = name ? document.querySelector(`[data-explorer="${CSS.escape(name)}"]`) : document.getElementById(hash);
    const number = slides.indexOf(place?.closest(".slide"));
    return show(Math.max(0, number), number >= 0);
  }

  function swipe() {
    let from = null;
    addEventListener("touchstart", (event) => {
      const [touch] = event.touches;
      from = event.touches.length > 1 || event.target.closest(`${IN_USE}, .figure-box, .equation`) ? null : touch;
    }, { passive: true });
    addEventListener("touchend", ({ changedTouches: [to] }) => {
      const [x, y] = from ? [to.clientX - from.clientX, to.clientY - from.clientY] : [0, 0];
      if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) moves[x < 0 ? "on" : "back"]();
    });
  }

  // --- paper: a slide a page, all of them in the size of a projector --------------------------------

  function paper(printing) {
    root.classList.toggle("printing", printing);
    paint();
    if (printing) root.dataset.theme = "light";
    (printing ? slides : [slides[at]]).forEach(fit);
  }

  addEventListener("DOMContentLoaded", () => {
    slides = [...document.querySelectorAll(".slide")];
    if (!slides.length) return;
    root.classList.add("shows-one");
    addEventListener("keydown", press);
    addEventListener("hashchange", follow);
    addEventListener("resize", () => fit(slides[at]));
    addEventListener("beforeprint", () => paper(true));
    addEventListener("afterprint", () => paper(false));
    document.querySelector("nav select").addEventListener("change", ({ target }) => show(target.value - 1));
    document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => moves[button.dataset.do]()));
    swipe();
    follow();
    document.querySelectorAll(".mtcourse-explorer").forEach((explorer) => watched.observe(explorer));
    // Explorers are drawn by then, and faces are there.
    addEventListener("load", () => document.fonts.ready.then(() => fit(slides[at])));
  });
})();
