#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""worked_cases.py FILE: writes the worked cases (tests/data/lanes) in the form that the bench reads; as JSON, if FILE ends so.
worked_cases.py --check: whether tests/data/lanes/rtl.json is that JSON, and vectors.txt what the rules show; status 1 if not.

Where a case's two ends exchange their samples sooner than the block decides, the block's case takes as long as the block does.
What it then has to show is by lane_rules.py, which has to show of each case as it stands what the case says.
"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import lane_rules  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = [ROOT / "tests" / "data" / "lanes" / name for name in ("worked.json", "threshold.json")]
KEYS = {"lanes_per_direction": "lanes", "saturation": "threshold"}
DECISION = 8  # cycles: the least SYNC_LATENCY of rtl/lane_reversal/registers.yaml


def for_the_block(case):
    """The case with a sync latency that the block has."""
    given = {"sync_latency" if k == "exchange" else k: v for k, v in case["parameters"].items()}  # its name in worked.json
    shown, _ = lane_rules.play(given, case["trace"])
    if shown != case["expected"]:
        sys.exit(f"worked_cases: {case['name']}: the rules show something else than the case")
    if given.get("sync_latency", 0) < DECISION:
        given["sync_latency"] = DECISION
        shown, _ = lane_rules.play(given, case["trace"])
    return {**case, "parameters": given, "expected": shown}


def lines_of(case):
    yield f"vector {case['name']}"
    yield "set " + " ".join(f"{KEYS.get(k, k)} {v}" for k, v in case["parameters"].items())
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


def as_json(cases):
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"


VECTORS = {"lanes": "lanes_per_direction", "threshold": "saturation"}


def wrong_vectors(path):
    """What vectors.txt says, and the rules do not, a line each."""
    name, given, trace, said = None, {}, [], []

    def compared():
        shown, cycles = lane_rules.play(given, trace, False, True)
        by_end = {w["end"]: w for w in shown["windows"]}
        mended = any("fault" in row for row in trace if isinstance(row, dict))  # the bench counts a mended lane as a turn
        for words in said:
            if words[0] == "cycle":
                is_so = cycles[int(words[1])][:len(words) - 2] == tuple(map(int, words[2:]))
            elif words[0] == "window":
                w = by_end.get(int(words[1]), {})
                is_so = [str(w.get(k)) for k in ("busy_ab", "capacity_ab", "busy_ba", "capacity_ba", "decision")] == words[2:7]
            else:
                is_so = int(words[1]) == (len(by_end) if words[0] == "windows" else shown["turns"]) or mended
            if not is_so:
                yield f"{path.name}: {name}: {' '.join(words)}"

    for line in [*path.read_text().splitlines(), "vector"]:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "vector":
            yield from compared() if name else ()
            name, given, trace, said = " ".join(words[1:]), {"sync_latency": DECISION}, [], []
        elif words[0] == "set":
            given |= {VECTORS.get(k, k): int(v) if v.isdigit() else v for k, v in zip(words[1::2], words[2::2])}
        elif words[0] == "row":
            trace.append([int(w) for w in words[1:]])
        elif words[0] == "launch":
            trace.append("launch")
        elif words[0] == "fault":
            trace.append({"fault": [int(w) for w in words[1:]]})
        else:
            said.append(words)


if __name__ == "__main__":
    cases = [for_the_block(case) for source in SOURCES for case in json.loads(source.read_text())]
    if sys.argv[1] == "--check":
        wrong = list(wrong_vectors(pathlib.Path(__file__).with_name("vectors.txt")))
        if (SOURCES[0].parent / "rtl.json").read_text() != as_json(cases):
            wrong.append("rtl.json is not what this writes")
        sys.exit("\n".join(wrong) if wrong else 0)
    text = as_json(cases) if sys.argv[1].endswith(".json") else "\n".join(line for case in cases for line in lines_of(case)) + "\n"
    pathlib.Path(sys.argv[1]).write_text(text)
