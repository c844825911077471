# SPDX-License-Identifier: Apache-2.0
"""The verification plan against a run: every feature with its checks, the cover
points that show that it was exercised, and the computed result."""
import collections
import fnmatch
import re

import block
import description
import place

Row = collections.namedtuple("Row", "feature checks covered notes")  # notes: what falls short


KEYS = {"features": ("feature", "checks", "assertions", "cover"), "assertions": ("text", "instead", "by", "shown_by", "row", "proof"),
        "covered_by_proof": ("proof", "because")}


def file():
    return block.this().file(block.this().item("assertions")["plan"])


def page_file():
    """The page with the results, in the repository."""
    return place.ROOT / block.this().item("plan")["page"]


def read():
    """The plan; a key that it does not know is an error, such as the half of a text that has a comma in it."""
    path = file()
    plan = description.read(path)
    description.check(path, plan, tuple(KEYS), "a plan", ("features", "assertions"))
    for part, known in KEYS.items():
        entries = plan.get(part, {})
        for entry in entries if isinstance(entries, list) else entries.values():
            description.check(path, entry, known, part)
    return plan


def points_file():
    return place.relative(block.this().file(block.this().item("plan")["points"]))


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def matching(patterns, names):
    found = {p: fnmatch.filter(names, p) for p in patterns}
    return sorted({n for names in found.values() for n in names}), [p for p, names in found.items() if not names]


# A check of the bench is named where a finding is added: a call of one of these, whose first argument is the name alone.
CHECK = re.compile(r'\b(?:add|check|complain|expect|number|pin)\(\s*"([a-z_]+(?:\.[a-z_]+)?)",')


def checks_of_bench():
    """The names of all checks in the sources of the block's bench."""
    files = [f for kind in ("*.cpp", "*.h") for f in block.this().bench.rglob(kind)]
    return sorted({name for f in files for name in CHECK.findall(f.read_text())})


def unknown(what, pattern, known):
    """The message about a name that fits nothing, with the nearest one that there is."""
    return f"no {what} {pattern}{description.nearest(pattern, known)}"


def judge(cover, assertions, rtl_covers, failed_checks):
    """[Row], and the errors of the plan itself."""
    plan, rows, wrong = read(), [], []
    named, in_bench = set(), checks_of_bench()
    for feature in plan["features"]:
        notes = []
        points, lost = matching(feature.get("cover", []), list(cover) + list(rtl_covers))
        wrong += [f"{feature['feature']}: {unknown('cover point', p, list(cover) + list(rtl_covers))}" for p in lost]
        named.update(points)
        asserted, lost = matching(feature.get("assertions", []), list(assertions))
        wrong += [f"{feature['feature']}: {unknown('assertion', p, list(assertions))}" for p in lost]
        named.update(asserted)
        checks = feature.get("checks", [])
        wrong += [f"{feature['feature']}: {unknown('check', c, in_bench)}" for c in matching(checks, in_bench)[1]]
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


def as_page(rows, assertion_lines):
    """The plan as a page, with the results of the run."""
    this = block.this()
    lines = [f"# {this.title}: verification plan", "",
             f"Written by `./contraflow verify {this.name} --update-plan` from `{place.relative(file())}` and what the run",
             "found; every run compares. Checks are the bench's (`pins.*`: each output against the reference in every cycle), those",
             f"that begin with a letter and a number are assertions in the RTL. Cover points are listed as `{points_file()}`",
             "and the RTL name them; `*` stands for anything.", "",
             "| feature | checked by | cover points, reached of all | result |", "|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row.feature} | {code(row.checks)} | {row.covered} | {'; '.join(row.notes) or 'pass'} |")
    lines += ["", "## The assertions", "", "| | what | in the code | result |", "|---|---|---|---|"]
    return "\n".join(lines + assertion_lines) + "\n"
