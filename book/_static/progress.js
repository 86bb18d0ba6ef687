/* Which chapters and exercises the reader has done: kept in this browser, and sent nowhere. */
(() => {
  "use strict";
  const KEY = "mtcourse-progress";
  const CHAPTER = /\/(\d\d_\w+)\.html$/;

  /* Storage may be forbidden; then nothing is kept, and nothing is shown. */
  function load() {
    try {
      const text = localStorage.getItem(KEY);
      const kept = (text === null ? null : JSON.parse(text)) || {};
      return { read: { ...kept.read }, done: { ...kept.done }, last: kept.last || null };
    } catch (error) {
      return error instanceof SyntaxError ? { read: {}, done: {}, last: null } : null;
    }
  }

  function save(progress) {
    try {
      localStorage.setItem(KEY, JSON.stringify(progress));
    } catch (error) {
      /* Full or forbidden: the page goes on without. */
    }
  }

  function change(edit) {
    const progress = load();
    if (progress === null) return;
    edit(progress);
    save(progress);
    markContents(progress);
  }

  function chapterOf(path) {
    const found = CHAPTER.exec(path);
    return found ? found[1] : null;
  }

  function markContents(progress) {
    for (const link of document.querySelectorAll("nav.bd-links li > a")) {
      const name = chapterOf(new URL(link.href, location.href).pathname);
      if (name === null && link.getAttribute("href") !== "#") continue;
      const is_read = Boolean(progress.read[name || chapterOf(location.pathname)]);
      const mark = link.querySelector(".progress-mark");
      if (is_read && mark === null) {
        const made = document.createElement("span");
        made.className = "progress-mark";
        made.textContent = " ✓";
        const said = document.createElement("span");
        said.className = "mt-unseen";
        said.textContent = " read";
        made.append(said);
        link.append(made);
      } else if (!is_read && mark !== null) {
        mark.remove();
      }
    }
  }

  function watchChapter(name) {
    const heading = document.querySelector("article h1");
    const title = heading.textContent.replace(/#\s*$/, "").trim();
    change((progress) => { progress.last = { page: name, title }; });
    const end = document.querySelector(".prev-next-footer");
    if (end === null || !("IntersectionObserver" in window)) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting) || window.scrollY === 0) return;
      observer.disconnect();
      change((progress) => { progress.read[name] = 1; });
    });
    observer.observe(end);
  }

  function addBoxes(name, progress) {
    for (const card of document.querySelectorAll(".exercise-card")) {
      const code = card.querySelector("code");
      const title = card.querySelector(".exercise-title");
      if (code === null || title === null) continue;
      const id = `${name}/${code.textContent}`;
      const label = document.createElement("label");
      label.className = "progress-done";
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = Boolean(progress.done[id]);
      box.setAttribute("aria-label", `done: ${title.textContent}`);
      box.addEventListener("change", () => change((now) => {
        if (box.checked) now.done[id] = 1;
        else delete now.done[id];
      }));
      label.append(box, " done");
      card.append(label);
    }
  }

  function welcome(progress) {
    const read = Object.keys(progress.read).length;
    const done = Object.keys(progress.done).length;
    const first = document.querySelector("article h1");
    if (first === null || (progress.last === null && read + done === 0)) return;
    const box = document.createElement("aside");
    box.className = "progress-box";
    box.setAttribute("aria-label", "Your progress");
    if (progress.last !== null && /^\d\d_\w+$/.test(progress.last.page)) {
      const link = document.createElement("a");
      link.href = `${progress.last.page}.html`;
      link.textContent = `Continue with ${progress.last.title}`;
      box.append(link);
    }
    const said = document.createElement("p");
    said.textContent = `Chapters read: ${read}. Exercises done: ${done}. `
      + "Only this browser knows.";
    const clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = "Forget my progress";
    clear.addEventListener("click", () => {
      change((now) => { now.read = {}; now.done = {}; now.last = null; });
      box.remove();
    });
    box.append(said, clear);
    first.after(box);
  }

  function start() {
    const progress = load();
    if (progress === null) return;
    const name = chapterOf(location.pathname);
    markContents(progress);
    if (name !== null && document.querySelector("article h1") !== null) {
      addBoxes(name, progress);
      watchChapter(name);
    } else if (/\/intro\.html$/.test(location.pathname)) {
      welcome(progress);
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
