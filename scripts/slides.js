// Shows the slides of a chapter one at a time: keys, buttons, a swipe; the address holds the slide (#3).
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const small = matchMedia("(max-width: 700px)"); // there a slide scrolls, and nothing is made smaller
  const paint = () => { root.dataset.theme = dark.matches ? "dark" : "light"; };
  paint();
  dark.addEventListener("change", paint);
  const IN_USE = ".mtcourse-explorer, select, input, textarea, .notes";
  const LEAST = 0.2;
  const WIDE = ".equation, .printed, .pst-scrollable-table-container, pre, .in-columns .explorer-scroll";
  let [slides, at] = [[], 0];

  // --- room: what is larger than its slide is made smaller ------------------------------------------

  const isTooLarge = (stage) =>
    stage.scrollHeight > stage.clientHeight + 1 ||
    [stage, ...stage.querySelectorAll(WIDE)].some((box) => box.scrollWidth > box.clientWidth + 1);

  function zoomed(stage) {
    const inner = stage.firstElementChild;
    const scrolls = small.matches && !root.matches(".printing");
    let zoom = 1;
    for (inner.style.zoom = 1; zoom > LEAST && !scrolls && isTooLarge(stage); inner.style.zoom = zoom) {
      zoom *= Math.max(0.5, Math.min(0.97, Math.sqrt(stage.clientHeight / stage.scrollHeight)));
    }
    return zoom;
  }

  function fit(slide) {
    const stage = slide.querySelector(".stage");
    slide.classList.remove("in-columns");
    const zoom = zoomed(stage);
    // A tall explorer may have more room in two columns.
    if (slide.matches(".explorer") && zoom < 0.75) {
      slide.classList.add("in-columns");
      if (zoomed(stage) <= zoom) slide.classList.remove("in-columns");
      zoomed(stage);
    }
    // What still scrolls can be scrolled with the keyboard.
    if (stage.scrollHeight > stage.clientHeight + 1) stage.tabIndex = 0;
    else stage.removeAttribute("tabindex");
  }

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
    on: () => (waits() ? reveal(true) : at < slides.length - 1 && show(at + 1)),
    back: () => (slides[at].matches(".question.revealed") ? reveal(false) : show(at - 1)),
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
    // Explorers are drawn by then, and faces are there.
    addEventListener("load", () => document.fonts.ready.then(() => fit(slides[at])));
  });
})();
