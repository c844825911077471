# SPDX-License-Identifier: Apache-2.0
"""The assertions in the RTL by name, and whether each could have fired: a check whose antecedent never held proves
nothing. A failed assertion is identified by file and line, as in Verilator's message."""
import collections
import functools
import re

import block
import coverage
import place
import sv_text

Assertion = collections.namedtuple("Assertion", "name kind file line last")  # of its lines, the first and the last
MACRO = re.compile(r"`CF_(ASSERT|NEVER|WHERE|NEVER_WHERE|NEXT|STABLE|REQUIRE|COVER)\s*\(\s*(\w+)")


CONDITIONAL = ("where", "never_where", "next", "stable")  # these come with a cover of their condition


@functools.lru_cache(maxsize=None)
def all_of_rtl():
    """Every use of the macros, covers included, in the block and in what is bound to it."""
    found = []
    for path in block.this().sources + block.this().bound:
        text = sv_text.without_comments(path.read_text())
        for use in MACRO.finditer(text):
            line = text.count("\n", 0, use.start()) + 1
            found.append(Assertion(use.group(2), use.group(1).lower(), path.name, line,
                                   line + text[use.start():end_of_call(text, use.start())].count("\n")))
    refuse_twice(found)
    return found


def refuse_twice(found):
    """A name is a verdict's key, in the table and in proofs: two with one name would have one verdict."""
    first = {}
    for a in found:
        other = first.setdefault(a.name, a)
        if other is not a:
            raise place.Failed(f"{a.file}:{a.line}: a second {a.name}; the first is in {other.file}:{other.line}, and a name is "
                               "given once in a block")


def end_of_call(text, at):
    """The position after the bracket that closes the first one from `at` on."""
    depth = 0
    for i in range(text.index("(", at), len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def at(file, line):
    """The name of the assertion at that line; Verilator reports one of its lines. Empty if there is none."""
    names = [a.name for a in all_of_rtl() if a.file == file and a.line <= line <= a.last]
    return names[0] if names else ""


def by_number(name):
    """"A8" for A8_goes_both_ways; empty for a name without a number of the plan's list."""
    number = re.match(r"([A-Z]\d+)_", name)
    return number.group(1) if number else ""


def covers_of(assertion, everything, shown_by):
    """Names of the covers that show that it is not vacuous: for one with a condition its own cover; for one that is
    checked in every cycle the covers of its number, or those that the plan names for the number."""
    if assertion.kind in CONDITIONAL:
        return [assertion.name + "_C"]
    own = by_number(assertion.name)
    return shown_by.get(own) or [a.name for a in everything if a.kind == "cover" and own and by_number(a.name) == own]


def judge(fired, coverage_files, shown_by, by_proof):
    """{name: (passed, not vacuous, missing covers)} of every assertion, and {name: count} of the covers."""
    everything = all_of_rtl()
    hits = {**coverage.user_points(coverage_files), **{name: 1 for name in by_proof}}
    result = {}
    for a in everything:
        if a.kind == "cover":
            continue
        covers = covers_of(a, everything, shown_by)
        missing = [c for c in covers if hits.get(c, 0) == 0]
        passed = not any(f == a.file and a.line <= n <= a.last for f, n in fired)
        result[a.name] = (passed, bool(covers) and not missing, missing)
    names = [a.name for a in everything if a.kind == "cover"] + [a.name + "_C" for a in everything if
                                                                 a.kind in CONDITIONAL]
    return result, {name: hits.get(name, 0) for name in names}
