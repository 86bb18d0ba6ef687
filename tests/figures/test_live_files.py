"""An explorer's translator: what a widget asks its kernel for, and what it makes of the answer."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import (
    FOLDER,
    JAVASCRIPT,
    LANGUAGE_MODEL_FOLDER,
    LANGUAGE_MODEL_WANTED,
    WANTED,
    Explorer,
    module,
)
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import language_model_files, model_files
from tests.helpers.javascript import printed_by_node, script_of

TRANSLATOR = Translator.load(device="cpu")
LEARNT = ["The dog sleeps."]


def explorer_with(files: Any) -> tuple[Explorer, list]:
    """An explorer, and what it sends."""
    explorer = Explorer(script_of("multi_head"), {}, {"own": ""}, {}, "", files)
    sent: list = []
    explorer.send = lambda content, buffers=None: sent.append((content, buffers))  # type: ignore[method-assign]
    return explorer, sent


def ask(explorer: Explorer, message: Any) -> None:
    """What a kernel does when a message of its script arrives."""
    explorer._handle_custom_msg(message, [])


# --- the kernel ---------------------------------------------------------------------------------


def test_the_kernel_makes_and_sends_the_files_when_they_are_wanted():
    made: list = []
    explorer, sent = explorer_with(lambda: made.append(1) or ({"config": 1}, b"weights"))
    for other in ({"wants": "tea"}, "translator", None, {"wants": "translator", "x": 1}):
        ask(explorer, other)
    assert (made, sent) == ([], [])
    ask(explorer, WANTED)
    assert (made, sent) == ([1], [({"translator": {"config": 1}}, [b"weights"])])


def test_a_kernel_that_cannot_make_them_says_why():
    def fails() -> Any:
        raise MtcourseError("the weights are gone")

    explorer, sent = explorer_with(fails)
    ask(explorer, WANTED)
    assert sent == [({"failed": "the weights are gone", "wanted": "translator"}, None)]


def test_a_kernel_tells_its_two_models_apart():
    sent: list = []
    explorer = Explorer(
        script_of("multi_head"), {}, {}, {}, "", lambda: ({"a": 1}, b"a"), lambda: ({"b": 1}, b"b")
    )
    explorer.send = lambda content, buffers=None: sent.append((content, buffers))  # type: ignore[method-assign]
    ask(explorer, LANGUAGE_MODEL_WANTED)
    assert sent == [({"language model": {"b": 1}}, [b"b"])]
    ask(explorer_with(lambda: ({}, b""))[0], LANGUAGE_MODEL_WANTED)  # it has none: no answer


def test_a_page_names_the_folder_of_the_files_if_its_explorer_needs_them():
    assert f'data-translator="{FOLDER}"' in explorer_with(lambda: ({}, b""))[0].html()
    assert FOLDER not in explorer_with(None)[0].html().partition(">")[0]
    both = Explorer(script_of("masks"), {}, {}, {}, "", None, lambda: ({}, b"")).html()
    assert f'data-language-model="{LANGUAGE_MODEL_FOLDER}"' in both
    assert "data-translator" not in both.partition(">")[0]


def test_the_model_is_described_once_for_pages_and_kernels():
    model, weights = model_files(TRANSLATOR, LEARNT)
    assert model["known"] == ["dog", "sleeps", "the"]
    assert json.loads(json.dumps(model)) == model
    assert len(weights) == 2 * sum(of.numel() for of in TRANSLATOR.model.parameters()) + len(
        weights[: 8 + int.from_bytes(weights[:8], "little")]
    )
    assert len(model_files(TRANSLATOR)[0]["known"]) > 1000


# --- the script, run by node with a model like a widget's ---------------------------------------

FAKE = """
const listeners = new Set();
const sent = [];
const tell = (message, buffers) => { for (const heard of [...listeners]) heard(message, buffers); };
const model = {
  get() {}, set() {}, save_changes() {},
  on: (event, heard) => { if (event === "msg:custom") listeners.add(heard); },
  off: (event, heard) => listeners.delete(heard),
  send: (message) => { sent.push(message); setTimeout(() => answer(tell), 1); },
};
"""


def in_node(program: str, **given: Any) -> Any:
    """What a program puts out, which runs in the scope of the loader and of search."""
    constants = "".join(f"const {key} = {json.dumps(value)};" for key, value in given.items())
    text = module(JAVASCRIPT / "own_sentence.js")
    return json.loads(printed_by_node(f"{text}\n{constants}\n{FAKE}\n{program}"))


def test_a_widget_makes_its_translator_of_what_the_kernel_sends():
    translator, weights = model_files(TRANSLATOR, LEARNT)
    texts = ["The nurse sees the dog.", "A zebra"]
    found = in_node(
        """
        const answer = (tell) => {
          const bytes = Buffer.from(encoded, "base64");
          const around = new Uint8Array(bytes.length + 24); // the weights begin at an odd place
          around.set(bytes, 11);
          tell({ another: "message" });
          tell({ translator }, [new DataView(around.buffer, 11, bytes.length)]);
        };
        const translated = await translatorOf(model);
        const found = texts.map((text) => {
          const state = translated.model.start([...translated.source.encode(text), EOS]);
          const ids = [];
          for (let id = BOS, now = state; id !== EOS && ids.length < 20;) {
            const read = translated.model.step(id, now);
            id = read.logits.reduce((best, value, i) => (value > read.logits[best] ? i : best), 0);
            ids.push(id);
            now = read.state;
          }
          return translated.target.decode(ids);
        });
        console.log(JSON.stringify({
          found, sent, listening: listeners.size,
          fresh: newWords("A zebra's DOG sleeps", translated.known),
        }));
        """,
        translator=translator,
        encoded=base64.b64encode(weights).decode(),
        texts=texts,
    )
    assert found["found"] == TRANSLATOR.translate(texts)
    assert found["sent"] == [WANTED]
    assert found["listening"] == 0
    assert found["fresh"] == ["A", "zebra's"]


def test_a_widget_that_wants_both_models_gets_each():
    """Whatever comes first, and though one of them fails."""
    language_model, weights = language_model_files(LanguageModel.load(device="cpu"), LEARNT)
    found = in_node(
        """
        const answer = (tell) => {};
        const mine = languageModelOf(model);
        const other = translatorOf(model).catch((error) => error.message);
        const bytes = Uint8Array.from(Buffer.from(encoded, "base64"));
        tell({ failed: "no translator", wanted: "translator" }, []);
        tell({ "language model": given }, [new DataView(bytes.buffer)]);
        const { model: decoder, target } = await mine;
        const { logits } = decoder.step(BOS, decoder.start());
        const first = target.pieces[logits.indexOf(Math.max(...logits))];
        console.log(JSON.stringify({ said: await other, sent, first }));
        """,
        given=language_model,
        encoded=base64.b64encode(weights).decode(),
    )
    assert found["said"] == "no translator"
    assert found["sent"] == [LANGUAGE_MODEL_WANTED, WANTED]
    assert found["first"].startswith("▁")


def test_words_that_are_known_in_small_letters_only_are_told_from_new_ones():
    translator, _ = model_files(TRANSLATOR, ["The dog sleeps in LibreOffice.", "A dog, I see."])
    found = in_node(
        """
        const answer = () => {};
        const source = new Pieces(translator.source);
        const known = new Set(translator.known);
        const both = (text) => [newWords(text, known), capitalWords(text, known, source)];
        console.log(JSON.stringify(texts.map(both)));
        """,
        translator=translator,
        texts=["The DOG sleeps. I see.", "Dog the DOG the DOG ZEBRA", "I"],
    )
    assert found == [[[], ["DOG"]], [["ZEBRA"], ["DOG"]], [[], []]]


@pytest.mark.parametrize(
    ("host", "said"),
    [("model", "the weights are gone"), ("{ get() {} }", "does not say where")],
)
def test_what_went_wrong_is_said(host, said):
    found = in_node(
        f"""
        const answer = (tell) => tell({{ failed: "the weights are gone" }}, []);
        const said = await translatorOf({host}).catch((error) => error.message);
        console.log(JSON.stringify(said));
        """
    )
    assert said in found
