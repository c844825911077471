# SPDX-License-Identifier: Apache-2.0
"""The verification plan (tb/check/lane_reversal_plan.yaml) against a run: every feature with its checks, the cover
points that show that it was exercised, and the computed result."""
import collections
import fnmatch

import yaml

import place

Row = collections.namedtuple("Row", "feature checks covered notes")  # notes: what falls short
PLAN = place.CHECK / "lane_reversal_plan.yaml"


KEYS = {"features": {"feature", "checks", "assertions", "cover"}, "assertions": {"text", "instead", "by", "shown_by", "row"},
        "covered_by_proof": {"proof", "because"}}


def read():
    """The plan; a key that it does not know is an error, such as the half of a text that has a comma in it."""
    plan = yaml.safe_load(PLAN.read_text())
    for part, known in KEYS.items():
        entries = plan[part] if isinstance(plan[part], list) else plan[part].values()
        for entry in entries:
            if set(entry) - known:
                raise place.Failed(f"{PLAN.name}: {part}: unknown {', '.join(map(str, set(entry) - known))}")
    return plan


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def matching(patterns, names):
    found = {p: fnmatch.filter(names, p) for p in patterns}
    return sorted({n for names in found.values() for n in names}), [p for p, names in found.items() if not names]


def judge(cover, assertions, rtl_covers, failed_checks):
    """[Row], and the errors of the plan itself."""
    plan, rows, wrong = read(), [], []
    named = set()
    for feature in plan["features"]:
        notes = []
        points, lost = matching(feature.get("cover", []), list(cover) + list(rtl_covers))
        wrong += [f"{feature['feature']}: no cover point {p}" for p in lost]
        named.update(points)
        asserted, lost = matching(feature.get("assertions", []), list(assertions))
        wrong += [f"{feature['feature']}: no assertion {p}" for p in lost]
        named.update(asserted)
        checks = feature.get("checks", [])
        hit = [p for p in points if cover.get(p, rtl_covers.get(p, 0)) > 0]
        notes += [f"never: {p}" for p in points if p not in hit]
        notes += [f"fired: {a}" for a in asserted if not assertions[a][0]]
        notes += [f"vacuous: {a}" for a in asserted if assertions[a][0] and not assertions[a][1]]
        notes += [f"failed: {c}" for c in checks if fnmatch.filter(failed_checks, c)]
        if not (points and (asserted or checks)):
            wrong.append(f"{feature['feature']}: a feature needs a check and a cover point")
        said = f"{code(feature.get('cover', []))}: {len(hit)} of {len(points)}"
        rows.append(Row(feature["feature"], checks + feature.get("assertions", []), said, notes))
    wrong += [f"no feature names the cover point {p}" for p in cover if p not in named]
    return rows, wrong


PAGE = place.ROOT / "docs" / "lane_reversal_plan.md"


def as_page(rows, assertion_lines):
    """The plan as a page, with the results of the run."""
    lines = ["# Lane-reversal controller: verification plan", "",
             "Written by `./contraflow verify lane_reversal --update-plan` from `tb/check/lane_reversal_plan.yaml` and what the run",
             "found; every run compares. Checks are the bench's (`pins.*`: each output against the reference in every cycle), those",
             "that begin with a letter and a number are assertions in the RTL. Cover points are listed as `tb/check/coverage/cover_points.inc`",
             "and the RTL name them; `*` stands for anything.", "",
             "| feature | checked by | cover points, reached of all | result |", "|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row.feature} | {code(row.checks)} | {row.covered} | {'; '.join(row.notes) or 'pass'} |")
    lines += ["", "## The assertions", "", "| | what | in the code | result |", "|---|---|---|---|"]
    return "\n".join(lines + assertion_lines) + "\n"
