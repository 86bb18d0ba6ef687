/* Which chapters, exercises and questions the reader has done: kept in this browser, and sent nowhere. */
(() => {
  "use strict";
  const KEY = "mtcourse-progress";
  const CHAPTER = /\/(\d\d_\w+)\.html$/;
  const STAYED = 10_000; // ms after which a chapter is no longer only glanced at
  const SECTION = "section[id]:has(> :is(h2, h3))";
  const WITHIN = "figure[id], div.math[id]";
  const ENOUGH = 0.5; // of a chapter's sections must have been seen before its end is

  const SAID = {
    en: {
      read: "read", done: "done", answered: "answered", yours: "Your progress", goOn: "Continue with",
      chapters: "Chapters read:", exercises: "Exercises done:", questions: "Questions answered:",
      kept: "Kept in this browser only.",
      forget: "Forget my progress",
      sure: "Forget what you have read and done? This cannot be undone.",
    },
    nl: {
      read: "gelezen", done: "gedaan", answered: "beantwoord", yours: "Je voortgang", goOn: "Ga verder met",
      chapters: "Hoofdstukken gelezen:", exercises: "Opgaven gedaan:", questions: "Vragen beantwoord:",
      kept: "Alleen in deze browser bewaard.",
      forget: "Mijn voortgang vergeten",
      sure: "Vergeten wat je hebt gelezen en gedaan? Dit kan niet ongedaan worden gemaakt.",
    },
  };
  const say = SAID[document.documentElement.lang] || SAID.en;

  /* What was kept, or a beginning. */
  function progressOf(kept) {
    return {
      read: { ...kept?.read }, done: { ...kept?.done }, answered: { ...kept?.answered },
      seen: { ...kept?.seen }, last: kept?.last || null,
    };
  }

  /* Storage may be forbidden; then nothing is kept, and nothing is shown. */
  function load() {
    try {
      return progressOf(JSON.parse(localStorage.getItem(KEY)));
    } catch (error) {
      return error instanceof SyntaxError ? progressOf(null) : null;
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
      mark(link, Boolean(progress.read[name || chapterOf(location.pathname)]), say.read);
    }
  }

  /* Puts a tick after what is done, with a word for who does not see it, or takes it away. */
  function mark(element, isDone, word) {
    const before = element.querySelector(".progress-mark");
    if (!isDone) before?.remove();
    if (!isDone || before !== null) return;
    const tick = document.createElement("span");
    tick.className = "progress-mark";
    tick.textContent = " ✓";
    const said = document.createElement("span");
    said.className = "mt-unseen";
    said.textContent = ` ${word}`;
    tick.append(said);
    element.append(tick);
  }

  function titleOf(heading) {
    return heading.textContent.replace(/#\s*$/, "").trim();
  }

  /* What is being read: the last section, figure or equation that begins in the upper third. */
  function placeNow(places) {
    const passed = places.filter((place) => place.checkVisibility()
      && place.getBoundingClientRect().top < innerHeight / 3);
    return passed.length ? passed[passed.length - 1] : null;
  }

  /* Keeps where in a chapter its reader is, once there is more to it than a glance. */
  function keepPlace(name) {
    const title = titleOf(document.querySelector("article h1"));
    const places = [...document.querySelectorAll(`article :is(${SECTION}, ${WITHIN})`)];
    let stayed = false, waits = false;
    const keep = () => {
      const place = placeNow(places);
      if (place === null && !stayed) return;
      const section = place && place.closest(SECTION);
      const at = section && { id: place.id, title: titleOf(section.querySelector("h2, h3")) };
      change((progress) => { progress.last = { page: name, title, at }; });
    };
    setTimeout(() => { stayed = true; keep(); }, STAYED);
    addEventListener("scroll", () => {
      if (waits) return;
      waits = true;
      setTimeout(() => { waits = false; keep(); }, 300);
    }, { passive: true });
  }

  /* A chapter is read when its end is reached, and not by a jump there. */
  function watchChapter(name) {
    const sections = [...document.querySelectorAll(`article ${SECTION}`)];
    keepPlace(name);
    const end = document.querySelector(".prev-next-footer");
    if (end === null || !("IntersectionObserver" in window)) return;
    const observer = new IntersectionObserver((entries) => {
      const shown = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
      if (shown.length === 0 || window.scrollY === 0) return;
      change((progress) => {
        const seen = new Set(progress.seen[name] || []);
        for (const heading of shown) if (heading !== end) seen.add(heading.parentElement.id);
        progress.seen[name] = [...seen];
        if (!shown.includes(end) || seen.size < ENOUGH * sections.length) return;
        progress.read[name] = 1;
        delete progress.seen[name];
        observer.disconnect();
      });
    });
    for (const section of sections) observer.observe(section.querySelector("h2, h3"));
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
      box.setAttribute("aria-label", `${say.done}: ${title.textContent}`);
      box.addEventListener("change", () => change((now) => {
        if (box.checked) now.done[id] = 1;
        else delete now.done[id];
      }));
      label.append(box, ` ${say.done}`);
      card.append(label);
    }
  }

  /* A question is answered once its right option was found, a guess once it was made. What waits
     for a guess does not wait again for who comes back; other questions can be answered anew. */
  function watchQuestions(name, progress) {
    const idOf = (question) => `${name}/${question.dataset.name}`;
    for (const question of document.querySelectorAll(".mtcourse-question[data-name]")) {
      if (!progress.answered[idOf(question)]) continue;
      mark(question.querySelector("legend"), true, say.answered);
      if ("guess" in question.dataset) question.dataset.answered = "";
    }
    document.addEventListener("mtcourse-answered", ({ target }) => {
      change((now) => { now.answered[idOf(target)] = 1; });
      mark(target.querySelector("legend"), true, say.answered);
    });
  }

  function welcome(progress) {
    const counts = [[say.chapters, progress.read], [say.exercises, progress.done],
      [say.questions, progress.answered]].map(([text, those]) => [text, Object.keys(those).length]);
    const counted = counts.filter(([, number]) => number > 0);
    const first = document.querySelector("article h1");
    if (first === null || (progress.last === null && counted.length === 0)) return;
    const box = document.createElement("aside");
    box.className = "progress-box";
    box.setAttribute("aria-label", say.yours);
    if (progress.last !== null && /^\d\d_\w+$/.test(progress.last.page)) {
      const link = document.createElement("a");
      const { page, title, at } = progress.last;
      link.href = `${page}.html${at ? `#${encodeURIComponent(at.id)}` : ""}`;
      link.textContent = `${say.goOn} ${title}${at ? `: ${at.title}` : ""}`;
      box.append(link);
    }
    const said = document.createElement("p");
    said.textContent = [...counted.map(([text, number]) => `${text} ${number}.`), say.kept].join(" ");
    const clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = say.forget;
    clear.addEventListener("click", () => {
      if (!confirm(say.sure)) return;
      change((now) => Object.assign(now, progressOf(null)));
      box.remove();
    });
    box.append(said, clear);
    first.before(box);
  }

  function start() {
    const progress = load();
    if (progress === null) return;
    const name = chapterOf(location.pathname);
    markContents(progress);
    if (name !== null && document.querySelector("article h1") !== null) {
      addBoxes(name, progress);
      watchQuestions(name, progress);
      watchChapter(name);
    } else if (/\/intro\.html$/.test(location.pathname)) {
      welcome(progress);
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
