/* The contents of the book and of a page: they show where the reader is, and make way for the page. */
(() => {
  "use strict";
  const LINE = 0.3; // of the window's height: the section that has begun above it is being read
  const MARGIN = 60; // px between the link that is marked and the edge of its list

  /* Moves a list, and never the page, until the link stands in it. */
  function keepInView(list, link) {
    const [around, it] = [list, link].map((one) => one.getBoundingClientRect());
    const below = it.bottom + MARGIN - around.bottom;
    const above = around.top + MARGIN - it.top;
    if (below > 0) list.scrollTop += below;
    else if (above > 0) list.scrollTop -= above;
  }

  /* --- the sections of a page --- */

  const places = []; // each section with its link, in the order of the page
  for (const link of document.querySelectorAll('#pst-page-toc-nav a[href^="#"]')) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section) places.push({ section, link });
  }
  let marked = null;

  function placeNow() {
    const line = innerHeight * LINE;
    const begun = places.filter(({ section }) => section.getBoundingClientRect().top <= line);
    const at_end = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    return at_end ? places.at(-1) : begun.at(-1);
  }

  function mark() {
    const link = placeNow()?.link ?? null;
    if (link === marked) return;
    marked = link;
    for (const { link: one } of places) {
      const holds = link !== null && one.parentElement.contains(link); // itself, or its section
      for (const element of [one, one.parentElement]) element.classList.toggle("active", holds);
      if (one === link) one.setAttribute("aria-current", "location");
      else one.removeAttribute("aria-current");
    }
    const list = places[0].link.closest(".bd-sidebar-secondary");
    if (list && link) keepInView(list, link);
    else if (list) list.scrollTop = 0; // above the first section stands what is above the contents
  }

  /* The contents end above a note that comes into sight (type.css); when it is higher in the window, the theme folds them. */
  const notes = document.querySelectorAll(".bd-article aside.margin");
  function leaveRoom() {
    const list = document.querySelector(".bd-sidebar-secondary");
    if (!list || !notes.length) return;
    const { top } = list.getBoundingClientRect();
    const below = [...notes].map((note) => note.getBoundingClientRect().top).filter((at) => at > top);
    const room = Math.min(...below) - top - MARGIN / 4;
    if (room < innerHeight - top) list.style.setProperty("--mt-room", `${room}px`);
    else list.style.removeProperty("--mt-room");
  }

  let waiting = false;
  function markSoon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      leaveRoom();
      mark();
    });
  }
  if (places.length) {
    addEventListener("scroll", markSoon, { passive: true });
    addEventListener("resize", markSoon);
    leaveRoom();
    mark();
  }

  /* --- the chapters of the book --- */

  function showChapter() {
    const link = [...document.querySelectorAll("nav.bd-docs-nav li.current > a")].at(-1);
    if (!link?.offsetParent) return;
    // On a large window the contents scroll by themselves, else together with what is above them.
    const lists = [".sidebar-primary-item", "dialog, .bd-sidebar-primary"];
    for (const list of lists.map((one) => link.closest(one))) keepInView(list, link);
    // On a phone they lie over the page: the keyboard begins where the eyes do.
    if (link.closest("dialog")) link.focus({ preventScroll: true });
  }
  addEventListener("load", showChapter);
  // Once the theme has opened them: it keeps the click to itself.
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.(".primary-toggle")) requestAnimationFrame(showChapter);
  }, true);

  /* Whoever has chosen a place in contents that lie over the page wants to see it. */
  document.addEventListener("click", ({ target }) => {
    target.closest?.('dialog a[href*="#"]')?.closest("dialog").close();
  });
})();
