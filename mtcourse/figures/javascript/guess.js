// Questions that a page asks before it shows a result. One listener serves all of them, whichever
// copy of this script comes first; the style (GUESS_CSS) hides what follows a question until it is
// answered.

if (!globalThis.mtcourseGuesses) {
  globalThis.mtcourseGuesses = true;
  document.documentElement.classList.add("mtcourse-asks");
  document.head.append(Object.assign(document.createElement("style"), { textContent: GUESS_CSS }));
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.(".mtcourse-guess button");
    if (button) answer(button.closest(".mtcourse-guess"), button);
  });
}

function answer(question, pressed) {
  const options = [...question.querySelectorAll("[data-option]")];
  const right = options[Number(question.dataset.key)];
  for (const option of options) option.setAttribute("aria-pressed", String(option === pressed));
  right.classList.add("guess-right");
  const guessed = options.includes(pressed);
  question.querySelector(".guess-skip").hidden = true;
  question.querySelector("[role=status]").textContent =
    pressed === right ? "You guessed right." : `${guessed ? "Not quite. " : ""}The answer is: ${right.dataset.option}.`;
  question.dataset.guessed = "";
}
