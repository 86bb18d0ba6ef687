"""The catalogue of submissions, by family."""

from tests.catalogue.families import (
    broken,
    comparing,
    escape,
    habits,
    limits,
    liveness,
    looking,
    messages,
    running,
    saved,
    taken,
    telling,
    written,
)

FAMILIES = {
    "honest": (*saved.CASES, *written.CASES),
    "habits": habits.CASES,
    "taken": taken.CASES,
    "liveness": liveness.CASES,
    "limits": limits.CASES,
    "messages": messages.CASES,
    "forging": (*comparing.CASES, *looking.CASES, *telling.CASES, *running.CASES),
    "escape": escape.CASES,
    "broken": broken.CASES,
}
