# SPDX-License-Identifier: Apache-2.0
"""Coverage as Verilator writes it (.dat): read, added up over runs. Its own tools list lines only."""
import collections
import pathlib
import re

Point = collections.namedtuple("Point", "kind module file line column what scope")
ENTRY = re.compile(r"^C '(.*)' (\d+)$")


def read(path):
    """{Point: count} of one file."""
    counts = collections.Counter()
    for text in pathlib.Path(path).read_text(errors="replace").splitlines():
        entry = ENTRY.match(text)
        if entry is None:
            continue
        fields = dict(f.split("\2", 1) for f in entry.group(1).split("\1") if "\2" in f)
        kind, _, module = fields.get("page", "/").partition("/")
        point = Point(kind.removeprefix("v_"), module.split("__")[0], pathlib.Path(fields["f"]).name, int(fields["l"]),
                      int(fields["n"]), fields.get("o", ""), fields.get("h", ""))
        counts[point] += int(entry.group(2))
    return counts


def added(paths):
    """{Point: count} over files. For toggles the maximum of any file: all runs begin alike, so a bit that went up once
    in each run would otherwise be counted as up and down."""
    total = {}
    for path in paths:
        for point, count in read(path).items():
            before = total.get(point, 0)
            total[point] = max(before, count) if point.kind == "toggle" else before + count
    return total


def over_instances(counts):
    """The same code in every instance is the same point."""
    total = {}
    for point, count in counts.items():
        key = point._replace(scope="")
        total[key] = total.get(key, 0) + count
    return total
