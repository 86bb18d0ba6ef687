"""The catalogue of submissions, by family."""

from tests.catalogue.families import (
    broken,
    comparing,
    escape,
    liveness,
    looking,
    messages,
    running,
    saved,
    telling,
    written,
)

FAMILIES = {
    "honest": (*saved.CASES, *written.CASES),
    "liveness": liveness.CASES,
    "messages": messages.CASES,
    "forging": (*comparing.CASES, *looking.CASES, *telling.CASES, *running.CASES),
    "escape": escape.CASES,
    "broken": broken.CASES,
}
