# SPDX-License-Identifier: Apache-2.0
"""Code coverage against the demand: every line, every branch, every port bit up and down. Unreachable points are
excluded in one file, each with a category and a reason; an exclusion that excludes nothing is an error."""
import collections
import re

import block
import coverage_data
import description
import models
import sv_text

CATEGORIES = ("unreachable", "constant", "tied", "tool", "long")
KEYS = ("kind", "module", "at", "what", "signal", "scope", "category", "reason")
EDGES = 2  # Verilator counts them together; a bit that has two went up and down
Hole = collections.namedtuple("Hole", "kind module where text count")


def source(point):
    """The RTL file of a point; None if it is no hardware: assertions and their helpers."""
    if point.module in block.this().not_hardware or point.module in elsewhere():
        return None
    return next((f for f in block.this().sources if f.name == point.file), None)


def elsewhere():
    """Modules that are covered by the verification of a block of their own."""
    item = block.this().item("coverage") or {}
    return item.get("elsewhere", ())


def is_port(point):
    path = source(point)
    return path is not None and re.split(r"[\[.]", point.what)[0] in sv_text.ports(path)


def demanded(counts):
    """The points that count, by kind: {kind: {Point: (count, enough)}}. Lines and branches are those of the source,
    whichever instance reached them; ports are those of every instance."""
    kinds = {"line": {}, "branch": {}, **({"toggle": {}} if models.COUNTED[1] else {})}
    for point, count in coverage_data.over_instances({p: c for p, c in counts.items() if p.kind != "toggle"}).items():
        if point.kind in ("line", "branch") and source(point) is not None:
            kinds[point.kind][point] = (count, count >= 1)
    for point, count in counts.items():
        if point.kind in kinds and point.kind == "toggle" and is_port(point):
            kinds["toggle"][point] = (count, count >= EDGES)
    return kinds


def matches(exclusion, point):
    if exclusion["kind"] != point.kind or exclusion["module"] != point.module:
        return False
    if "at" in exclusion and exclusion["at"] not in sv_text.line(source(point), point.line):
        return False
    if "signal" in exclusion and not re.fullmatch(exclusion["signal"], point.what):
        return False
    if "what" in exclusion and exclusion["what"] != point.what:
        return False
    return not ("scope" in exclusion and not re.fullmatch(exclusion["scope"], point.scope))


def read_exclusions():
    name = block.this().item("coverage").get("exclusions")
    if name is None:
        return []
    path = block.this().file(name)
    exclusions = description.read(path).get("exclusions") or []
    for e in exclusions:
        description.check(path, e, KEYS, "an exclusion", ("kind", "module", "category", "reason"))
        if e["category"] not in CATEGORIES:
            raise description.at(path, e.marks["category"], f"a category is one of {', '.join(CATEGORIES)}")
    return exclusions


def judge(paths):
    """{kind: (reached, demanded, [Hole])} and the exclusions that exclude nothing."""
    exclusions = read_exclusions()
    used = [0] * len(exclusions)
    result = {}
    for kind, points in demanded(coverage_data.added(paths)).items():
        holes, reached, total = [], 0, 0
        for point, (count, enough) in sorted(points.items()):
            if not enough:
                by = [i for i, e in enumerate(exclusions) if matches(e, point)]
                for i in by:
                    used[i] += 1
                if by:
                    continue
                path = source(point)
                holes.append(Hole(kind, point.module, f"{point.file}:{point.line}", f"{point.what} {point.scope}".strip()
                                  + (f": {sv_text.line(path, point.line)}" if kind != "toggle" else ""), count))
            total += 1
            reached += enough
        result[kind] = (reached, total, holes)
    unused = [e for e, n in zip(exclusions, used) if n == 0 and e["kind"] in result]
    return result, unused, list(zip(exclusions, used))


def annotate(paths):
    """Writes each source with the counts of its lines and branches, and the ports that did not toggle, in front of the
    text: `-` is a line that is not counted, `!` one with a point that was not reached. The folder."""
    folder = block.this().out / "annotated"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.sv"):
        old.unlink()
    at_line = collections.defaultdict(list)
    for kind, points in demanded(coverage_data.added(paths)).items():
        for point, (count, enough) in points.items():
            at_line[point.file, point.line].append((kind, point, count, enough))
    for path in block.this().own_sources:
        lines = []
        for number, text in enumerate(sv_text.lines(path), 1):
            points = at_line.get((path.name, number), [])
            least = min((count for _, _, count, _ in points), default=None)
            mark = "!" if any(not enough for _, _, _, enough in points) else " "
            missing = sorted({p.what for kind, p, _, enough in points if kind == "toggle" and not enough})
            lines.append(f"{'-' if least is None else least:>10}{mark} {number:5} {text}"
                         + (f"  // no toggle: {' '.join(missing[:8])}{' ...' if len(missing) > 8 else ''}" if missing else ""))
        (folder / path.name).write_text("\n".join(lines) + "\n")
    return folder


def user_points(paths):
    """{name: count} of the cover statements in the RTL, over all instances."""
    names = {}
    for point, count in coverage_data.added(paths).items():
        if point.kind == "user":
            names[point.what] = names.get(point.what, 0) + count
    return names
