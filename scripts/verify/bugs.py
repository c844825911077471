# SPDX-License-Identifier: Apache-2.0
"""Bugs written by hand (patches), each with the checks that must find it, and directed tests that must fail, a line `directed:` each. All of them are compiled into
one build: where a patch changes a line, the line as it is and as it would be stand side by side, and a variable chooses.
A patch may therefore replace only single lines: an assigned value, or the condition of an `if`."""
import collections
import random
import re

import assertions
import block
import compiling
import models
import place

Bug = collections.namedtuple("Bug", "number name what detector also directed changes")
# The text before the changed expression of a line, the expression, and the text after it.
FORM = re.compile(r"^(\s*(?:[\w:]+:\s+)?(?:assign\s+)?[\w.\[\]+:*-]+\s*(?:<=|=)\s+|.*?\bif\s+\()(.*?)(;|\)\s+begin)\s*$")
CHOICE = "cf_bug_pkg::chosen"


def folder():
    return block.this().out / "bugs"


def header(text, key):
    found = re.search(rf"^{key}: (.*)$", text, re.M)
    return found.group(1).strip() if found else ""


def read():
    bugs = []
    for number, path in enumerate(sorted(block.this().file(block.this().item("bugs")["patches"]).glob("*.patch")), 1):
        text = path.read_text()
        file = re.search(r"^\+\+\+ b/(\S+)$", text, re.M).group(1)
        changes, at = [], None
        for line in text.split("\n---\n", 1)[1].splitlines():
            hunk = re.match(r"@@ -(\d+)(?:,1)? \+\d+(?:,1)? @@", line)
            if hunk:
                at = int(hunk.group(1))
            elif line.startswith("-") and not line.startswith("---"):
                changes.append([file, at, line[1:], None])
            elif line.startswith("+") and not line.startswith("+++"):
                changes[-1][3] = line[1:]
        bugs.append(Bug(number, path.stem, header(text, "what"), header(text, "detector"), header(text, "also").split(),
                        re.findall(r"^directed: (.*?) *$", text.split("\n---\n", 1)[0], re.M), [tuple(c) for c in changes]))
    return bugs


def parts(line, bug):
    form = FORM.match(line)
    if form is None:
        raise place.Failed(f"{bug.name}.patch: not a line that can be chosen: {line.strip()}")
    return form.groups()


def with_choice(line, changed):
    """One line that contains the original and the variant of each bug."""
    before, chosen, after = parts(line, changed[0][0])
    for bug, new in changed:
        new_before, expression, new_after = parts(new, bug)
        if (new_before, new_after) != (before, after):
            raise place.Failed(f"{bug.name}.patch changes more than an expression: {new.strip()}")
        chosen = f"({CHOICE} == {bug.number}) ? ({expression}) : ({chosen})"
    return before + chosen + after


def where(bug, file, number, old):
    """The line that a patch changes, counted from 0: like `patch`, the match nearest to its old position."""
    lines = (place.ROOT / file).read_text().split("\n")
    found = [i for i, line in enumerate(lines) if line == old]
    if not found:
        raise place.Failed(f"{bug.name}.patch does not apply: {file} has no line: {old.strip()}")
    return min(found, key=lambda i: abs(i - (number - 1)))


def sources(bugs):
    """The RTL with all bugs, as copies with the same lines."""
    at_line = collections.defaultdict(list)
    for bug in bugs:
        for file, number, old, new in bug.changes:
            at_line[file, where(bug, file, number, old)].append((bug, new))
    folder().mkdir(parents=True, exist_ok=True)
    package = folder() / "cf_bug_pkg.sv"
    package.write_text("package cf_bug_pkg;\n  int chosen /* verilator public_flat_rw */;\nendpackage\n")
    copies = [package]
    for path in block.this().sources:
        lines = path.read_text().split("\n")
        name = str(place.relative(path))
        for (file, number), changed in at_line.items():
            if file == name:
                lines[number] = with_choice(lines[number], changed)
        copy = folder() / path.name
        copy.write_text("\n".join(lines))
        copies.append(copy)
    packages = [c for c in copies if c.name.endswith("_pkg.sv")]
    return packages + [c for c in copies if c not in packages]


def program(bugs):
    every = sources(bugs) + block.this().bench_sources
    return models.build_program(models.Build("bugs", set_name=block.this().item("bugs").get("set", "mutation"), sources=every, optimise="-O1",
                                             select="__PVT__cf_bug_pkg->chosen", flags=["-Wno-lint", "-Wno-style"],
                                             own_sources_only=True))


def named(check):
    """assertion@FILE:LINE as the name of the assertion."""
    at = re.fullmatch(r"assertion@(\S+):(\d+)", check)
    return check if at is None else assertions.at(at.group(1), int(at.group(2))) or check


def drawn(bugs, options):
    """Those that this run plants: all, or so many, drawn from the seed."""
    number = block.this().item("bugs").get("number")
    if number is None:
        return bugs
    return sorted(random.Random(options.seed).sample(bugs, min(len(bugs), options.choose(*number))))


def run(vector_files, options):
    """[(bug, the checks that found it, the directed tests that fail)] of those that are planted, how many there are, and the
    checks that fire in the unchanged block."""
    every = read()
    built = program(every)
    bugs = drawn(every, options)
    numbers = [0] + [bug.number for bug in bugs]
    groups = [numbers[first::place.JOBS] for first in range(min(place.JOBS, len(numbers)))]
    said = "".join(text for text, _ in compiling.in_parallel([
        lambda group=group: place.run([built, "bugs", *vector_files, "--mutants", ",".join(map(str, group))],
                                      log=folder() / f"run_{group[0]}.log", check=False)
        for group in groups]))
    fired = {int(n): {named(c) for c in checks.split()} for n, checks in re.findall(r"^bug (\d+):(.*)$", said, re.M)}
    if set(fired) != set(numbers):
        raise place.Failed(f"the bench ended before the last bug: {said[-300:]}")
    failing = collections.defaultdict(list)
    for number, test in re.findall(r"^bug (\d+) fails (.*)$", said, re.M):
        failing[int(number)].append(test)
    return [(bug, fired[bug.number], failing[bug.number]) for bug in bugs], len(every), fired[0]


def shortfall(bug, fired, failing):
    """What a bug's patch says of its detectors, and is not so; empty if all is."""
    expected = {bug.detector, *bug.also}
    short = []
    if fired != expected:
        short.append(f"silent {sorted(expected - fired)}, unexpected {sorted(fired - expected)}")
    short += [f"the directed test '{test}' does not fail; those that do: {'; '.join(failing) or 'none'}"
              for test in bug.directed if test not in failing]
    if "directed" in expected and not bug.directed:
        short.append(f"names no directed test; those that fail: {'; '.join(failing) or 'none'}")
    return f"{bug.name}: {'; '.join(short)}" if short else ""
