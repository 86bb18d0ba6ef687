/* Searches the book: with pagefind where a server shows it, and with Sphinx's own search where it is
   opened from a disk, or where pagefind cannot run. book/_ext/page_search.py writes the index. */
(() => {
  "use strict";
  const AT_ONCE = 8; // pages whose texts are loaded together
  const PLACES = 3; // sections shown of a page
  const TERMS = "glossary.html"; // the page whose places are definitions
  const WAITS = 200; // ms after a letter was typed
  const GLUE = {
    en: "a an and are as at be but by can do does for from how i if in is it of on or so than that the their "
      + "then there these they this to was what when where which why with you",
    nl: "aan als bij dan dat de die dit door een en er het hoe in is je kan met naar of om op te uit van voor "
      + "waar waarom wat wie wordt zijn",
  }; // words that every page has: nothing is found by them
  const SPHINX = ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"];
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const output = document.getElementById("search-results");
  const fields = [...document.querySelectorAll('form.bd-search input[name="q"]')];
  const SAID = {
    en: ["Found on ${count} pages.", "Found on one page.",
      "No page has these words. Try fewer, or others: the index has the text, and not the code."],
    nl: ["Gevonden op ${count} pagina’s.", "Gevonden op één pagina.",
      "Geen pagina heeft deze woorden. Probeer er minder, of andere: gezocht wordt in de tekst, niet in de code."],
  };
  const { lang } = document.documentElement;
  const say = SAID[lang] || SAID.en;
  const glue = new Set((GLUE[lang] || GLUE.en).split(" "));
  let turn = 0; // of several searches, only the last one may write
  let watcher = null; // loads more when the end of the list comes into view

  function make(tag, parent, text = "", name = "") {
    const element = document.createElement(tag);
    element.textContent = text;
    if (name) element.className = name;
    return parent.appendChild(element);
  }

  /* --- Sphinx's search --- */

  function askSphinx() {
    // A summary is read from the page that was found, and a page on a disk may not be read.
    if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
    for (const path of SPHINX) {
      const script = document.createElement("script");
      script.async = false; // in this order
      script.src = new URL(path, root);
      document.head.append(script);
    }
  }

  /* --- pagefind --- */

  /* An excerpt has marks and no other elements. */
  function show(item, found, title) {
    make("a", item, title).href = found.url;
    make("p", item, "", "context").innerHTML = found.excerpt;
  }

  function worth(place) {
    return place.weighted_locations.reduce((sum, one) => sum + one.balanced_score, 0);
  }

  function showPage(list, page) {
    const item = make("li", list);
    const places = page.sub_results.filter((place) => place.url !== page.url);
    show(item, page, page.meta.title);
    if (places.length === 0) return;
    const below = make("ul", item, "", "found-places");
    places.sort((one, other) => worth(other) - worth(one));
    for (const place of places.slice(0, PLACES)) show(make("li", below), place, place.title);
  }

  /* Whoever asks for a term reads its definition at once. */
  function showTerm(list, pages, asked) {
    const terms = pages.filter((page) => page.url.endsWith(TERMS)).flatMap((page) => page.sub_results);
    const term = terms.find((place) => wordsOf(place.title).join(" ") === wordsOf(asked).join(" "));
    if (term) show(make("li", list, "", "found-term"), term, term.title);
  }

  async function showFrom(list, results, begin, mine, asked = "") {
    const pages = await Promise.all(results.slice(begin, begin + AT_ONCE).map((one) => one.data()));
    if (mine !== turn) return;
    if (begin === 0) showTerm(list, pages, asked);
    for (const page of pages) showPage(list, page);
    const next = begin + AT_ONCE;
    if (next >= results.length) return;
    watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      showFrom(list, results, next, mine);
    }, { rootMargin: "400px" });
    watcher.observe(list.lastElementChild);
  }

  /* A status that is there before it says something is read aloud. */
  function frame() {
    output.replaceChildren();
    const status = make("p", output, "", "search-summary");
    status.setAttribute("role", "status");
    return { status, list: make("ul", output, "", "search") };
  }

  function summary(count) {
    return say[count === 0 ? 2 : count === 1 ? 1 : 0].replace("${count}", count);
  }

  function wordsOf(text) {
    const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.match(/[\p{L}\p{N}_]+/gu) || [];
  }

  /* Of a word that it does not know, pagefind looks for ever shorter beginnings, down to a letter.
     Somebody who asks for a word is not answered by pages that have only its first two letters. */
  function answers(page, text) {
    const excerpts = [page, ...page.sub_results].map((one) => one.excerpt).join("");
    const marked = [...excerpts.matchAll(/<mark>(.*?)<\/mark>/gs)].flatMap((one) => wordsOf(one[1]));
    return wordsOf(text).some((word) => marked.some((one) => one.startsWith(word.slice(0, 3))));
  }

  /* A question without its glue, unless it is nothing else, or a quotation. */
  function question(text) {
    const plain = text.replace(/[^\p{L}\p{M}\p{N}_"\s-]+/gu, " ").trim();
    const telling = plain.split(/\s+/).filter((word) => !glue.has(word.toLowerCase())).join(" ");
    return plain.includes('"') || !telling ? plain : telling;
  }

  async function ask(pagefind, text) {
    const asked = question(text);
    const { results } = asked ? await pagefind.search(asked) : { results: [] };
    return results.length && answers(await results[0].data(), asked) ? results : [];
  }

  async function search(pagefind, { status, list }, text) {
    const mine = ++turn;
    const results = text ? await ask(pagefind, text) : null;
    if (mine !== turn) return;
    watcher?.disconnect();
    list.replaceChildren();
    status.textContent = results === null ? "" : summary(results.length);
    if (results?.length) await showFrom(list, results, 0, mine, question(text));
  }

  function listen(pagefind, shown) {
    let timer = 0;
    for (const field of fields) {
      field.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          const address = new URL(location.href);
          address.searchParams.set("q", field.value);
          history.replaceState(history.state, "", address);
          search(pagefind, shown, field.value.trim());
        }, WAITS);
      });
    }
  }

  async function begin() {
    let pagefind = null;
    if (/^https?:$/.test(location.protocol)) {
      try {
        pagefind = await import(new URL("pagefind/pagefind.js", root));
        await pagefind.options({ baseUrl: root.pathname, noWorker: true });
        await pagefind.init();
      } catch (error) {
        pagefind = null; // a browser or a server that does not do what it needs
      }
    }
    if (pagefind === null) {
      askSphinx();
      return;
    }
    const asked = new URLSearchParams(location.search).get("q") || "";
    for (const field of fields) field.value = asked;
    const shown = frame();
    listen(pagefind, shown);
    await search(pagefind, shown, asked.trim());
  }

  begin();
})();
