"""What is computed twice: plainly, where it is explained, and fast, here.

Each function gives what its plain twin gives, up to rounding, and a test compares the two:

- ``linear`` and ``Linear``: ``torch.nn.functional.linear``
- ``Dropout``: ``torch.nn.functional.dropout``
- ``largest``, ``top_candidates``, ``top_continuations``: ``plain_top_continuations``, by ``topk``
- ``chunked_loss``: ``mtcourse.training.loss.label_smoothed_loss`` of all logits at once

Nothing here is needed to understand the translator.
"""
