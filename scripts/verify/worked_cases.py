# SPDX-License-Identifier: Apache-2.0
"""The model's worked cases (tests/data/lanes), in the form that the bench reads."""
import json

import place

SOURCES = [place.ROOT / "tests" / "data" / "lanes" / name for name in ("worked.json", "threshold.json")]
KEYS = {"lanes_per_direction": "lanes", "saturation": "threshold",
        "exchange": "sync_latency"}  # its name in worked.json


def lines_of(case):
    given = {KEYS.get(k, k): v for k, v in case["parameters"].items()}
    yield f"vector {case['name']}"
    yield "set " + " ".join(f"{k} {v}" for k, v in given.items())
    for row in case["trace"]:
        yield "launch" if row == "launch" else "row " + " ".join(map(str, row))
    yield "until_drained"
    expected = case["expected"]
    for w in expected["windows"]:
        yield (f"window {w['end']} {w['busy_ab']} {w['capacity_ab']} {w['busy_ba']} {w['capacity_ba']} {w['decision']} "
               f"{w['queued_ab']} {w['queued_ba']}")
    yield f"windows {len(expected['windows'])}"
    yield f"turns {expected['turns']}"
    yield f"served {expected['served_ab']} {expected['served_ba']}"
    yield f"drained {expected['drained']}"


def cases():
    return [case for source in SOURCES for case in json.loads(source.read_text())]


def as_vectors():
    to = place.OUT / "worked.txt"
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text("\n".join(line for case in cases() for line in lines_of(case)) + "\n")
    return to
