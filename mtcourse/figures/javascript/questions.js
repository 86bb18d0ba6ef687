// Questions with options to press. One listener serves all of a page, whichever copy of this script
// comes first. A question either waits for the right option, or is a guess: any option ends it, and
// the style (QUESTIONS_CSS) hides what follows it until then. The page is told of each that ends.

import { phrase } from "./messages.js";

if (!globalThis.mtcourseQuestions) {
  globalThis.mtcourseQuestions = true;
  document.documentElement.classList.add("mtcourse-asks");
  document.head.append(Object.assign(document.createElement("style"), { textContent: QUESTIONS_CSS }));
  const waits = phrase("The result appears here after your guess.");
  document.documentElement.style.setProperty("--result-waits", JSON.stringify(waits));
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.(".mtcourse-question button");
    if (button) answer(button.closest(".mtcourse-question"), button);
  });
}

function answer(question, pressed) {
  const right = question.querySelector("[data-right]");
  const isGuess = question.hasAttribute("data-guess");
  if (isGuess && "answered" in question.dataset) return; // a guess is made once
  for (const option of question.querySelectorAll(".question-options button")) {
    option.setAttribute("aria-pressed", String(option === pressed));
  }
  question.querySelector("[role=status]").innerHTML = pressed.dataset.says; // of question_form.py
  if (pressed !== right && !isGuess) return;
  question.dataset.answered = ""; // and the style hides what skips a guess
  const skipped = pressed.matches(".question-skip");
  if (skipped) right.focus(); // what had the focus is gone
  else question.dispatchEvent(new Event("mtcourse-answered", { bubbles: true }));
}
