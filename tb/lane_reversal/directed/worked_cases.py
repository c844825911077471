#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""worked_cases.py FILE: writes the model's worked cases (tests/data/lanes) in the form that the bench reads."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = [ROOT / "tests" / "data" / "lanes" / name for name in ("worked.json", "threshold.json")]
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


if __name__ == "__main__":
    cases = [case for source in SOURCES for case in json.loads(source.read_text())]
    pathlib.Path(sys.argv[1]).write_text("\n".join(line for case in cases for line in lines_of(case)) + "\n")
