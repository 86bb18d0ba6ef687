"""The exercise ``cache_memory``: bytes of several caches (C11; chapter 14)."""

from __future__ import annotations

import torch

from mtcourse.checks.cohort import Numbers, spelled, vary

SIZE = 4
NUMBERS = Numbers(
    {
        "L": (10, 6, 14, 18),
        "h": (12, 8, 15, 18, 20),
        "d_k": (64, 48, 80, 96),
        "T": (1000, 800, 1100, 1300, 1500),
        "source": (900, 600, 700, 1200, 1400),
        "texts": (8, 5, 6, 7, 9),
        "beams": (4, 3, 5, 6),
        "groups": (3, 4, 5, 6),
    },
    texts=(
        "{L}", "{h}", "{d_k}", "{d_model}", "{T}", "{source}", "{rows} rows", "{both}",
        "{texts} documents", "{texts} * {beams}", "{beams} beams", "{texts_word} documents",
        "{texts_word} rows", "{beams_word} beams", "{beams_word} rows", "{groups} groups",
        "{groups} sets", "{groups} times", "{groups}. There are", "({groups} * {d_k})",
        "1, {groups},", "{layers} layers", "division by 1000",
        "2 tensors",
        "* 4", "4 bytes", "8 bytes", "16 bytes", "32 bits", "16 bits",
        "16 *bits*", "has 8.", "1024",
    ),
    derived=lambda n: {
        "d_model": n.h * n.d_k, "rows": n.texts * n.beams, "both": n.T + n.source,
        "layers": 2 * n.L, "texts_word": spelled(n.texts), "beams_word": spelled(n.beams),
    },
    fit=lambda n: n.h % n.groups == 0 and n.source != n.T,
)  # fmt: skip


def correct(n):
    """2 L h d_k T B numbers, each of some bytes."""
    return _with(n)


def _with(
    n,
    numbers=None,
    size=SIZE,
    half=2,
    rows=None,
    of_group=None,
    of_inputs=1 / 2,
    source_rows=None,
):
    """The seven answers, with a part of their formula replaced."""
    numbers = 2 * n.L * n.h * n.d_k if numbers is None else numbers
    rows = n.texts * n.beams if rows is None else rows
    of_group = n.groups / n.h if of_group is None else of_group
    token = numbers * size
    return {
        "token": token,
        "text": token * n.T,
        "beams": token * n.T * rows,
        "bfloat16": numbers * half * n.T * rows,
        "groups": token * of_group * n.T,
        "inputs": token * of_inputs * n.T,
        "source": token * (n.source if source_rows is None else source_rows),
    }


def _but(n, **others):
    return correct(n) | others


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(n):
        """Your numbers may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct(n).values())

    def one_of_keys_and_values(n):
        """You counted the keys *or* the values. The cache keeps both.

        How many tensors does each layer keep?
        """
        return _with(n, n.L * n.h * n.d_k) | {"inputs": correct(n)["inputs"]}

    def one_of_keys_and_values_and_half_for_inputs(n):
        """You counted the keys *or* the values, and half of that for the inputs.

        How many tensors does each layer keep?
        """
        return _with(n, n.L * n.h * n.d_k)

    def queries_too(n):
        """You counted three tensors in each layer: queries, too. Nobody reads an old query.

        Which two tensors does the cache keep?
        """
        return _with(n, 3 * n.L * n.h * n.d_k) | {"inputs": correct(n)["inputs"]}

    def queries_too_and_half_for_inputs(n):
        """You counted queries, too, and half of all that for the inputs. Nobody reads an old query.

        Which two tensors does the cache keep? And how wide is the row that they are made from?
        """
        return _with(n, 3 * n.L * n.h * n.d_k)

    def a_single_layer(n):
        """You counted one layer. Each of the 10 layers keeps its own keys and values.

        The keys of layer 2 are made from other rows than those of layer 1.
        """
        return _with(n, 2 * n.h * n.d_k)

    def a_single_head(n):
        """You counted one head. Each head keeps its own keys and values.

        How wide are the keys of all heads together?
        """
        return _with(n, 2 * n.L * n.d_k)

    def heads_times_the_whole_width(n):
        """You multiplied d_model by h. The heads share the width: h d_k is d_model.

        How wide are the keys of all heads together?
        """
        return _with(n, 2 * n.L * n.h * n.h * n.d_k)

    def numbers_for_bytes(n):
        """You counted numbers. The question asks for bytes.

        How many bytes has a number in float32, and how many in bfloat16?
        """
        return _with(n, size=1, half=1)

    def numbers_for_bytes_and_half(n):
        """You counted numbers, and half as many in bfloat16. The question asks for bytes.

        How many bytes has a number in float32, and how many in bfloat16?
        """
        return _with(n, size=1, half=1 / 2)

    def bits_for_bytes(n):
        """You counted bits. A byte has 8.

        float32 has 32 bits: how many bytes are that?
        """
        return _with(n, size=32, half=16)

    def eight_bytes(n):
        """You took 8 bytes for a number. That is float64.

        How many bytes has a number in float32?
        """
        return _with(n, size=8, half=4)

    def eight_bytes_in_float32_alone(n):
        """You took 8 bytes for a number in float32. That is float64.

        float32 has 32 bits, and a byte has 8.
        """
        return _with(n, size=8)

    def two_bytes(n):
        """You took 2 bytes for a number in float32. That is a number in 16 bits.

        float32 has 32 bits, and a byte has 8.
        """
        return _with(n, size=2)

    def in_kilobytes(n):
        """You give thousands of bytes. The question asks for bytes.

        Leave out the division by 1000.
        """
        return {name: number / 1000 for name, number in correct(n).items()}

    def in_kibibytes(n):
        """You divided by 1024. The question asks for bytes.

        Leave out the division.
        """
        return {name: number / 1024 for name, number in correct(n).items()}

    def in_megabytes(n):
        """You give millions of bytes. The question asks for bytes.

        Leave out the division by a million.
        """
        return {name: number / 1e6 for name, number in correct(n).items()}

    def in_mebibytes(n):
        """You divided by 1024². The question asks for bytes.

        Leave out the division.
        """
        return {name: number / 1024**2 for name, number in correct(n).items()}

    def all_pairs(n):
        """Your text grows with T², as attention weights do. A cache keeps keys and values, one row
        for each position.

        What is stored for each token, and how many tokens are there?
        """
        bytes_of = correct(n)
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        return bytes_of | {name: bytes_of[name] * n.T for name in grown}

    def sums_over_steps(n):
        """You added up the cache of all steps: T(T + 1)/2 rows. The cache after the last step holds
        T rows.

        A step appends one row, and the old ones stay where they are.
        """
        bytes_of, factor = correct(n), (n.T + 1) / 2
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        return bytes_of | {name: bytes_of[name] * factor for name in grown}

    def token_of_one_layer(n):
        """`token`: you counted one layer. Each of the 10 layers keeps a key and a value.

        The keys of layer 2 are made from other rows than those of layer 1.
        """
        return _but(n, token=correct(n)["token"] / n.L)

    def token_of_one_head(n):
        """`token`: you counted one head of 12.

        How wide are the keys of all heads together?
        """
        return _but(n, token=correct(n)["token"] / n.h)

    def token_of_one_tensor(n):
        """`token`: you counted one row of 768 numbers. Each of the 10 layers keeps two of them.

        Which two tensors does a layer keep?
        """
        return _but(n, token=n.h * n.d_k * SIZE)

    def token_heads_times_the_whole_width(n):
        """`token`: you multiplied d_model by h. The heads share the width: h d_k is d_model.

        How wide are the keys of all heads together?
        """
        return _but(n, token=correct(n)["token"] * n.h)

    def beams_alone(n):
        """`beams`: you counted four rows. There are eight documents with four beams each.

        How many rows has the batch?
        """
        return _with(n, rows=n.beams) | {"bfloat16": correct(n)["bfloat16"]}

    def beams_alone_both_times(n):
        """You counted four rows of beams. There are eight documents with four beams each.

        How many rows has the batch?
        """
        return _with(n, rows=n.beams)

    def texts_alone(n):
        """`beams`: you counted eight rows. Each document has four beams, and each beam a row.

        How many rows has the batch?
        """
        return _with(n, rows=n.texts) | {"bfloat16": correct(n)["bfloat16"]}

    def texts_alone_both_times(n):
        """You counted eight rows, one for each document. Each has four beams, and each beam a row.

        How many rows has the batch?
        """
        return _with(n, rows=n.texts)

    def texts_plus_beams(n):
        """You added documents and beams. Each document has four beams of its own.

        How many rows has the batch?
        """
        return _with(n, rows=n.texts + n.beams)

    def one_row(n):
        """You counted a single row for all beams and documents.

        Each beam of each document is a row of the batch, with its own keys and values.
        """
        return _with(n, rows=1)

    def bfloat16_of_one_text(n):
        """`bfloat16`: you give the bytes of one document. The question asks for all beams of all
        documents.

        How many rows has the batch?
        """
        return _but(n, bfloat16=correct(n)["bfloat16"] / (n.texts * n.beams))

    def bfloat16_as_large(n):
        """`bfloat16`: you took 4 bytes for a number.

        How many bits does bfloat16 have, by its name?
        """
        return _with(n, half=4)

    def bfloat16_of_one_byte(n):
        """`bfloat16`: you took 1 byte for a number.

        How many bits does bfloat16 have, by its name?
        """
        return _with(n, half=1)

    def bfloat16_of_sixteen(n):
        """`bfloat16`: you took 16 bytes for a number. It has 16 *bits*.

        How many bits has a byte?
        """
        return _with(n, half=16)

    def divided_by_the_groups(n):
        """`groups`: you divided by 3. There are 3 sets of keys and values where there were 12.

        Which share of the sets is left?
        """
        return _with(n, of_group=1 / n.groups)

    def one_group(n):
        """`groups`: you counted one set of keys and values for all heads.

        Each of the 3 groups has a set of its own.
        """
        return _with(n, of_group=1 / n.h)

    def what_groups_save(n):
        """`groups`: you give what is saved. What is left?

        How many sets of keys and values are there, and how many were there before?
        """
        return _with(n, of_group=1 - n.groups / n.h)

    def groups_save_nothing(n):
        """`groups`: you count as many keys and values as without groups.

        The heads of a group share one set. How many sets are there?
        """
        return _with(n, of_group=1)

    def groups_share_keys_alone(n):
        """`groups`: you let the heads share their keys, and keep their own values.

        They share both.
        """
        return _with(n, of_group=(1 + n.groups / n.h) / 2)

    def groups_times_the_width(n):
        """`groups`: you counted 3 times the whole width. Each group has one key of d_k numbers.

        How many sets of keys and values are there, and how many were there before?
        """
        return _with(n, of_group=n.groups)

    def inputs_as_large(n):
        """`inputs`: you count as much as for keys and values. One row of d_model numbers takes the
        place of two.

        How wide is the row that keys and values are made from?
        """
        return _with(n, of_inputs=1)

    def inputs_once(n):
        """`inputs`: you counted the rows of one layer only. Each layer has inputs of its own.

        Can the keys of layer 2 be made from the rows that go into layer 1?
        """
        return _with(n, of_inputs=1 / 2 / n.L)

    def inputs_as_ids(n):
        """`inputs`: you counted one number for each token in each layer. A row has d_model numbers.

        From what does a layer make keys: from the ids, or from rows?
        """
        return _but(n, inputs=n.L * n.T * SIZE)

    def ids_alone(n):
        """`inputs`: you counted the ids of the tokens. Each *layer* keeps the rows that go into it.

        From what does a layer make keys: from the ids, or from rows?
        """
        return _but(n, inputs=n.T * SIZE)

    def source_for_each_beam(n):
        """`source`: you counted four beams. They read the same keys and values, which are there
        once.

        Which tensors belong to the document, and which to a beam?
        """
        return _with(n, source_rows=n.source * n.beams)

    def source_of_the_target_length(n):
        """`source`: you counted 1,000 positions. Keys and values of cross-attention come from the
        source.

        How many rows has the encoder's output?
        """
        return _with(n, source_rows=n.T)

    def source_and_target(n):
        """`source`: you counted the positions of source and target together.

        How many rows has the encoder's output?
        """
        return _with(n, source_rows=n.T + n.source)

    def source_for_all_rows(n):
        """`source`: you counted 8 documents with 4 beams. The question asks for one document, whose
        beams all read the same tensors.

        Which tensors belong to the document, and which to a beam?
        """
        return _with(n, source_rows=n.source * n.texts * n.beams)

    def source_at_every_step(n):
        """`source`: you multiplied by the length of the target. Nothing is added to these keys and
        values.

        How often are they computed?
        """
        return _with(n, source_rows=n.source * n.T)

    def source_for_each_beam_and_step(n):
        """`source`: you multiplied by the length of the target and by the beams. The keys and
        values are there once, for all steps and all beams.

        How many rows has the encoder's output?
        """
        return _with(n, source_rows=n.source * n.T * n.beams)

    def source_of_one_layer(n):
        """`source`: you counted one layer. Each layer has its own W_K and W_V.

        Can two layers share keys that different matrices made?
        """
        return _with(n, source_rows=n.source / n.L)

    def source_of_encoder_and_decoder(n):
        """`source`: you counted 20 layers. Only the decoder attends to the source in this way; the
        encoder writes nothing token by token.

        Which layers have cross-attention?
        """
        return _with(n, source_rows=2 * n.source)

    def source_rows_alone(n):
        """`source`: you counted the encoder's output, once. The layers keep the keys and values
        that they make of it.

        How many layers are there, and how many tensors does each keep?
        """
        return _but(n, source=n.source * n.h * n.d_k * SIZE)

    def groups_of_all_documents(n):
        """`groups`: you counted 8 documents. The question asks for one, as in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(n, groups=correct(n)["groups"] * n.texts)

    def groups_of_all_rows(n):
        """`groups`: you counted all beams of all documents. The question asks for one document, as
        in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(n, groups=correct(n)["groups"] * n.texts * n.beams)

    def source_in_the_text(n):
        """You counted 1,900 positions for a document: the source as well. Self-attention of the
        decoder keeps rows of target tokens only.

        Which name asks for what is kept of the source?
        """
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        bytes_of = correct(n)
        return bytes_of | {name: bytes_of[name] * (n.T + n.source) / n.T for name in grown}

    def source_of_one_tensor(n):
        """`source`: you counted the keys *or* the values of the source. Each layer keeps both.

        Which tensors of cross-attention come from the encoder's output?
        """
        return _with(n, source_rows=n.source / 2)

    def source_of_all_documents(n):
        """`source`: you counted 8 documents. The question asks for one.

        Which number of documents does the name's line give?
        """
        return _with(n, source_rows=n.source * n.texts)

    def inputs_of_all_rows(n):
        """`inputs`: you counted all beams of all documents. The question asks for one document, as
        in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(n, inputs=correct(n)["inputs"] * n.texts * n.beams)


class Right:
    """Right answers, written differently."""

    def written_down(n):
        """Each as a product of its own."""
        L, d_model, T, rows = n.L, n.h * n.d_k, n.T, n.texts * n.beams
        return {
            "token": 8 * L * d_model,
            "text": 8 * L * d_model * T,
            "beams": 8 * L * d_model * T * rows,
            "bfloat16": 4 * L * d_model * T * rows,
            "groups": 8 * L * n.groups * n.d_k * T,
            "inputs": 4 * L * d_model * T,
            "source": 8 * L * d_model * n.source,
        }

    def by_the_formula(n):
        """2 L h d_k T B size, in floats."""

        def of(h, t, B, size):
            return 2.0 * n.L * h * n.d_k * t * B * size

        return {
            "token": of(n.h, 1, 1, 4),
            "text": of(n.h, n.T, 1, 4),
            "beams": of(n.h, n.T, n.texts * n.beams, 4),
            "bfloat16": of(n.h, n.T, n.texts * n.beams, 2),
            "groups": of(n.groups, n.T, 1, 4),
            "inputs": of(n.h, n.T, 1, 4) / 2,
            "source": of(n.h, n.source, 1, 4),
        }

    def step_by_step(n):
        """Each number from the one before."""
        token = 2 * n.L * n.h * n.d_k * 4
        text = n.T * token
        beams = n.texts * n.beams * text
        return {
            "token": token, "text": text, "beams": beams, "bfloat16": beams // 2,
            "groups": text * n.groups // n.h, "inputs": text // 2, "source": n.source * token,
        }  # fmt: skip

    def counted(n):
        """Counts the numbers in tensors that occupy nothing."""

        def of(h, t, B, dtype=torch.float32):
            K = torch.empty(B, h, t, n.d_k, dtype=dtype, device="meta")
            return 2 * n.L * K.numel() * K.element_size()

        rows = torch.empty(n.T, n.h * n.d_k, device="meta")
        return {
            "source": of(n.h, n.source, 1), "groups": of(n.groups, n.T, 1), "token": of(n.h, 1, 1),
            "inputs": n.L * rows.numel() * rows.element_size(), "text": of(n.h, n.T, 1),
            "beams": of(n.h, n.T, n.texts * n.beams),
            "bfloat16": of(n.h, n.T, n.texts * n.beams, torch.bfloat16),
        }  # fmt: skip

    def in_another_order(n):
        """The names in reverse order."""
        return dict(reversed(correct(n).items()))


EXERCISE = vary(
    NUMBERS,
    id="cache_memory",
    oracle=correct,
    hint="Bytes are 2 L h d_k T B times the size of a number. For each name, ask first what L, h, "
    "T and B are there.",
    wrong=Wrong,
    right=Right,
)
