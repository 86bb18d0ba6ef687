"""The exercise ``cache_memory``: bytes of several caches (C11; chapter 14)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise, functions_of

L, H, D_K, T, SIZE = 10, 12, 64, 1000, 4
TEXTS, BEAMS, GROUPS, SOURCE = 8, 4, 3, 900


def correct():
    """2 L h d_k T B numbers, each of some bytes."""
    return _with()


def _with(
    numbers=2 * L * H * D_K,
    size=SIZE,
    half=2,
    rows=TEXTS * BEAMS,
    of_group=GROUPS / H,
    of_inputs=1 / 2,
    source_rows=SOURCE,
):
    """The seven answers, with a part of their formula replaced."""
    token = numbers * size
    return {
        "token": token,
        "text": token * T,
        "beams": token * T * rows,
        "bfloat16": numbers * half * T * rows,
        "groups": token * of_group * T,
        "inputs": token * of_inputs * T,
        "source": token * source_rows,
    }


def _but(**others):
    return correct() | others


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your numbers may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct().values())

    def one_of_keys_and_values():
        """You counted the keys *or* the values. The cache keeps both.

        How many tensors does each layer keep?
        """
        return _with(L * H * D_K) | {"inputs": correct()["inputs"]}

    def one_of_keys_and_values_and_half_for_inputs():
        """You counted the keys *or* the values, and half of that for the inputs.

        How many tensors does each layer keep?
        """
        return _with(L * H * D_K)

    def queries_too():
        """You counted three tensors in each layer: queries, too. Nobody reads an old query.

        Which two tensors does the cache keep?
        """
        return _with(3 * L * H * D_K) | {"inputs": correct()["inputs"]}

    def queries_too_and_half_for_inputs():
        """You counted queries, too, and half of all that for the inputs. Nobody reads an old query.

        Which two tensors does the cache keep? And how wide is the row that they are made from?
        """
        return _with(3 * L * H * D_K)

    def a_single_layer():
        """You counted one layer. Each of the 10 layers keeps its own keys and values.

        The keys of layer 2 are made from other rows than those of layer 1.
        """
        return _with(2 * H * D_K)

    def a_single_head():
        """You counted one head. Each head keeps its own keys and values.

        How wide are the keys of all heads together?
        """
        return _with(2 * L * D_K)

    def heads_times_the_whole_width():
        """You multiplied d_model by h. The heads share the width: h d_k is d_model.

        How wide are the keys of all heads together?
        """
        return _with(2 * L * H * H * D_K)

    def numbers_for_bytes():
        """You counted numbers. The question asks for bytes.

        How many bytes has a number in float32, and how many in bfloat16?
        """
        return _with(size=1, half=1)

    def numbers_for_bytes_and_half():
        """You counted numbers, and half as many in bfloat16. The question asks for bytes.

        How many bytes has a number in float32, and how many in bfloat16?
        """
        return _with(size=1, half=1 / 2)

    def bits_for_bytes():
        """You counted bits. A byte has 8.

        float32 has 32 bits: how many bytes are that?
        """
        return _with(size=32, half=16)

    def eight_bytes():
        """You took 8 bytes for a number. That is float64.

        How many bytes has a number in float32?
        """
        return _with(size=8, half=4)

    def eight_bytes_in_float32_alone():
        """You took 8 bytes for a number in float32. That is float64.

        float32 has 32 bits, and a byte has 8.
        """
        return _with(size=8)

    def two_bytes():
        """You took 2 bytes for a number in float32. That is a number in 16 bits.

        float32 has 32 bits, and a byte has 8.
        """
        return _with(size=2)

    def in_kilobytes():
        """You give thousands of bytes. The question asks for bytes.

        Leave out the division by 1000.
        """
        return {name: number / 1000 for name, number in correct().items()}

    def in_kibibytes():
        """You divided by 1024. The question asks for bytes.

        Leave out the division.
        """
        return {name: number / 1024 for name, number in correct().items()}

    def in_megabytes():
        """You give millions of bytes. The question asks for bytes.

        Leave out the division by a million.
        """
        return {name: number / 1e6 for name, number in correct().items()}

    def in_mebibytes():
        """You divided by 1024². The question asks for bytes.

        Leave out the division.
        """
        return {name: number / 1024**2 for name, number in correct().items()}

    def all_pairs():
        """Your text grows with T², as attention weights do. A cache keeps keys and values, one row
        for each position.

        What is stored for each token, and how many tokens are there?
        """
        bytes_of = correct()
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        return bytes_of | {name: bytes_of[name] * T for name in grown}

    def sums_over_steps():
        """You added up the cache of all steps: T(T + 1)/2 rows. The cache after the last step holds
        T rows.

        A step appends one row, and the old ones stay where they are.
        """
        bytes_of, factor = correct(), (T + 1) / 2
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        return bytes_of | {name: bytes_of[name] * factor for name in grown}

    def token_of_one_layer():
        """`token`: you counted one layer. Each of the 10 layers keeps a key and a value.

        The keys of layer 2 are made from other rows than those of layer 1.
        """
        return _but(token=correct()["token"] / L)

    def token_of_one_head():
        """`token`: you counted one head of 12.

        How wide are the keys of all heads together?
        """
        return _but(token=correct()["token"] / H)

    def token_of_one_tensor():
        """`token`: you counted one row of 768 numbers. Each of the 10 layers keeps two of them.

        Which two tensors does a layer keep?
        """
        return _but(token=H * D_K * SIZE)

    def token_heads_times_the_whole_width():
        """`token`: you multiplied d_model by h. The heads share the width: h d_k is d_model.

        How wide are the keys of all heads together?
        """
        return _but(token=correct()["token"] * H)

    def beams_alone():
        """`beams`: you counted four rows. There are eight documents with four beams each.

        How many rows has the batch?
        """
        return _with(rows=BEAMS) | {"bfloat16": correct()["bfloat16"]}

    def beams_alone_both_times():
        """You counted four rows of beams. There are eight documents with four beams each.

        How many rows has the batch?
        """
        return _with(rows=BEAMS)

    def texts_alone():
        """`beams`: you counted eight rows. Each document has four beams, and each beam a row.

        How many rows has the batch?
        """
        return _with(rows=TEXTS) | {"bfloat16": correct()["bfloat16"]}

    def texts_alone_both_times():
        """You counted eight rows, one for each document. Each has four beams, and each beam a row.

        How many rows has the batch?
        """
        return _with(rows=TEXTS)

    def texts_plus_beams():
        """You added documents and beams. Each document has four beams of its own.

        How many rows has the batch?
        """
        return _with(rows=TEXTS + BEAMS)

    def one_row():
        """You counted a single row for all beams and documents.

        Each beam of each document is a row of the batch, with its own keys and values.
        """
        return _with(rows=1)

    def bfloat16_of_one_text():
        """`bfloat16`: you give the bytes of one document. The question asks for all beams of all
        documents.

        How many rows has the batch?
        """
        return _but(bfloat16=correct()["bfloat16"] / (TEXTS * BEAMS))

    def bfloat16_as_large():
        """`bfloat16`: you took 4 bytes for a number.

        How many bits does bfloat16 have, by its name?
        """
        return _with(half=4)

    def bfloat16_of_one_byte():
        """`bfloat16`: you took 1 byte for a number.

        How many bits does bfloat16 have, by its name?
        """
        return _with(half=1)

    def bfloat16_of_sixteen():
        """`bfloat16`: you took 16 bytes for a number. It has 16 *bits*.

        How many bits has a byte?
        """
        return _with(half=16)

    def divided_by_the_groups():
        """`groups`: you divided by 3. There are 3 sets of keys and values where there were 12.

        Which share of the sets is left?
        """
        return _with(of_group=1 / GROUPS)

    def one_group():
        """`groups`: you counted one set of keys and values for all heads.

        Each of the 3 groups has a set of its own.
        """
        return _with(of_group=1 / H)

    def what_groups_save():
        """`groups`: you give what is saved. What is left?

        How many sets of keys and values are there, and how many were there before?
        """
        return _with(of_group=1 - GROUPS / H)

    def groups_save_nothing():
        """`groups`: you count as many keys and values as without groups.

        The heads of a group share one set. How many sets are there?
        """
        return _with(of_group=1)

    def groups_share_keys_alone():
        """`groups`: you let the heads share their keys, and keep their own values.

        They share both.
        """
        return _with(of_group=(1 + GROUPS / H) / 2)

    def groups_times_the_width():
        """`groups`: you counted 3 times the whole width. Each group has one key of d_k numbers.

        How many sets of keys and values are there, and how many were there before?
        """
        return _with(of_group=GROUPS)

    def inputs_as_large():
        """`inputs`: you count as much as for keys and values. One row of d_model numbers takes the
        place of two.

        How wide is the row that keys and values are made from?
        """
        return _with(of_inputs=1)

    def inputs_once():
        """`inputs`: you counted the rows of one layer only. Each layer has inputs of its own.

        Can the keys of layer 2 be made from the rows that go into layer 1?
        """
        return _with(of_inputs=1 / 2 / L)

    def inputs_as_ids():
        """`inputs`: you counted one number for each token in each layer. A row has d_model numbers.

        From what does a layer make keys: from the ids, or from rows?
        """
        return _but(inputs=L * T * SIZE)

    def ids_alone():
        """`inputs`: you counted the ids of the tokens. Each *layer* keeps the rows that go into it.

        From what does a layer make keys: from the ids, or from rows?
        """
        return _but(inputs=T * SIZE)

    def source_for_each_beam():
        """`source`: you counted four beams. They read the same keys and values, which are there
        once.

        Which tensors belong to the document, and which to a beam?
        """
        return _with(source_rows=SOURCE * BEAMS)

    def source_of_the_target_length():
        """`source`: you counted 1,000 positions. Keys and values of cross-attention come from the
        source.

        How many rows has the encoder's output?
        """
        return _with(source_rows=T)

    def source_and_target():
        """`source`: you counted the positions of source and target together.

        How many rows has the encoder's output?
        """
        return _with(source_rows=T + SOURCE)

    def source_for_all_rows():
        """`source`: you counted 8 documents with 4 beams. The question asks for one document, whose
        beams all read the same tensors.

        Which tensors belong to the document, and which to a beam?
        """
        return _with(source_rows=SOURCE * TEXTS * BEAMS)

    def source_at_every_step():
        """`source`: you multiplied by the length of the target. Nothing is added to these keys and
        values.

        How often are they computed?
        """
        return _with(source_rows=SOURCE * T)

    def source_for_each_beam_and_step():
        """`source`: you multiplied by the length of the target and by the beams. The keys and
        values are there once, for all steps and all beams.

        How many rows has the encoder's output?
        """
        return _with(source_rows=SOURCE * T * BEAMS)

    def source_of_one_layer():
        """`source`: you counted one layer. Each layer has its own W_K and W_V.

        Can two layers share keys that different matrices made?
        """
        return _with(source_rows=SOURCE / L)

    def source_of_encoder_and_decoder():
        """`source`: you counted 20 layers. Only the decoder attends to the source in this way; the
        encoder writes nothing token by token.

        Which layers have cross-attention?
        """
        return _with(source_rows=2 * SOURCE)

    def source_rows_alone():
        """`source`: you counted the encoder's output, once. The layers keep the keys and values
        that they make of it.

        How many layers are there, and how many tensors does each keep?
        """
        return _but(source=SOURCE * H * D_K * SIZE)

    def groups_of_all_documents():
        """`groups`: you counted 8 documents. The question asks for one, as in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(groups=correct()["groups"] * TEXTS * BEAMS / 4)

    def groups_of_all_rows():
        """`groups`: you counted all beams of all documents. The question asks for one document, as
        in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(groups=correct()["groups"] * TEXTS * BEAMS)

    def source_in_the_text():
        """You counted 1,900 positions for a document: the source as well. Self-attention of the
        decoder keeps rows of target tokens only.

        Which name asks for what is kept of the source?
        """
        grown = ("text", "beams", "bfloat16", "groups", "inputs")
        bytes_of = correct()
        return bytes_of | {name: bytes_of[name] * (T + SOURCE) / T for name in grown}

    def source_of_one_tensor():
        """`source`: you counted the keys *or* the values of the source. Each layer keeps both.

        Which tensors of cross-attention come from the encoder's output?
        """
        return _with(source_rows=SOURCE / 2)

    def source_of_all_documents():
        """`source`: you counted 8 documents. The question asks for one.

        Which number of documents does the name's line give?
        """
        return _with(source_rows=SOURCE * TEXTS)

    def inputs_of_all_rows():
        """`inputs`: you counted all beams of all documents. The question asks for one document, as
        in `text`.

        Which of the names is this one "the same as"?
        """
        return _but(inputs=correct()["inputs"] * TEXTS * BEAMS)


class Right:
    """Right answers, written differently."""

    def written_down():
        """As they are found on paper."""
        return {
            "token": 61_440,
            "text": 61_440_000,
            "beams": 1_966_080_000,
            "bfloat16": 983_040_000,
            "groups": 15_360_000,
            "inputs": 30_720_000,
            "source": 55_296_000,
        }

    def by_the_formula():
        """2 L h d_k T B size, in floats."""

        def of(h, t, B, size):
            return 2.0 * L * h * D_K * t * B * size

        return {
            "token": of(H, 1, 1, 4),
            "text": of(H, T, 1, 4),
            "beams": of(H, T, 32, 4),
            "bfloat16": of(H, T, 32, 2),
            "groups": of(GROUPS, T, 1, 4),
            "inputs": of(H, T, 1, 4) / 2,
            "source": of(H, SOURCE, 1, 4),
        }

    def step_by_step():
        """Each number from the one before."""
        token = 2 * L * 768 * 4
        text = 1000 * token
        beams = 8 * 4 * text
        return {
            "token": token, "text": text, "beams": beams, "bfloat16": beams // 2,
            "groups": text // 4, "inputs": text // 2, "source": 900 * token,
        }  # fmt: skip

    def counted():
        """Counts the numbers in tensors that occupy nothing."""

        def of(h, t, B, dtype=torch.float32):
            K = torch.empty(B, h, t, D_K, dtype=dtype, device="meta")
            return 2 * L * K.numel() * K.element_size()

        rows = torch.empty(T, 768, device="meta")
        return {
            "source": of(H, SOURCE, 1), "groups": of(GROUPS, T, 1), "token": of(H, 1, 1),
            "inputs": L * rows.numel() * rows.element_size(), "beams": of(H, T, 32),
            "bfloat16": of(H, T, 32, torch.bfloat16), "text": of(H, T, 1),
        }  # fmt: skip

    def in_another_order():
        """The names in reverse order."""
        return dict(reversed(correct().items()))


EXERCISE = Exercise(
    id="cache_memory",
    oracle=correct,
    hint="Bytes are 2 L h d_k T B times the size of a number. For each name, ask first what L, h, "
    "T and B are there.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
