# SPDX-License-Identifier: Apache-2.0
"""Runs of the bench: each program once for each mode and arguments; all that need its result share it."""
import collections
import functools
import pathlib
import re
import shlex
import shutil

import block
import compiling
import models
import place

CONTENTS = [1]  # the seed of registers and memories before a reset
MOST_WAVES = 8  # of one run: the first failing tests; of the others the table names the line that makes one
Result = collections.namedtuple("Result", "set mode totals ok output cover coverage")


@functools.lru_cache(maxsize=None)
def run(name, *arguments):
    """One run of bench_NAME; `arguments` begin with the mode."""
    program = models.build_program(models.named(name))
    words = [pathlib.Path(str(a)).stem if isinstance(a, pathlib.Path) else re.sub(r"\W", "", str(a)) for a in arguments]
    stem = "_".join([name, *words])
    folder = block.this().out / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    cover, coverage = folder / f"{stem}.cover", folder / f"{stem}.dat"
    more = ["--contents", CONTENTS[0], "--cover", cover] + (["--coverage", coverage] if models.counts_coverage(name) else [])
    output, status = place.run([program, *arguments, *more], log=folder / f"{stem}.log", check=False)
    if status != 0:
        output = with_waves(name, output, stem)
    found = re.search(r"^totals: (.*)$", output, re.M)
    totals = {k: v for k, v in re.findall(r"(\w+) (\S+)", found.group(1))} if found else {}
    totals = {k: float(v) if re.fullmatch(r"[\d.]+", v) else v for k, v in totals.items()}
    return Result(name, arguments[0], totals, status == 0 and bool(found), output, cover, coverage)


def with_waves(name, output, stem):
    """Runs the failing tests again, as their lines say, on a build with waves; the output, with the names of the files."""
    lines, made = [], 0
    for line in output.splitlines():
        lines.append(line)
        again = re.match(r"  again: \S+ (.*)$", line)
        if again is None:
            continue
        made += 1
        to = block.this().out / "waves" / f"{stem}_{made}.fst"
        to.parent.mkdir(parents=True, exist_ok=True)
        try:
            program = models.build_program(models.with_waves(name))
            words = [*shlex.split(again.group(1)), "--wave", place.relative(to)]
            if made <= MOST_WAVES:
                place.run([program, *words], check=False, cwd=place.ROOT)
                lines.append(f"  wave: {place.relative(to)}")
            else:
                lines.append(f"  wave: made by {shlex.join(str(w) for w in [place.relative(program), *words])}")
        except place.Failed as failed:
            lines.append(f"  no wave: {str(failed).splitlines()[0]}")
    return "\n".join(lines) + "\n"


def begin(seed):
    """Removes files of earlier runs: counts must come from this run."""
    CONTENTS[0] = seed
    shutil.rmtree(block.this().out / "runs", ignore_errors=True)


def together(runs):
    """Runs as many at a time as there are cores; returns the results in order."""
    return compiling.in_parallel([lambda r=r: run(*r) for r in runs])


@functools.lru_cache(maxsize=None)
def vector_file(number):
    """The file of an entry of the item: it is there, or a script of the block makes it."""
    this = block.this()
    entry = this.item("vectors")["files"][number]
    if "file" in entry:
        return this.file(entry["file"])
    to = this.out / (pathlib.Path(entry["made_by"]).stem + ".txt")
    to.parent.mkdir(parents=True, exist_ok=True)
    place.run(["/usr/bin/python3", "-B", this.file(entry["made_by"]), to])
    return to


def vector_entries():
    item = block.this().item("vectors")
    return item["files"] if item else []


def of_mutants():
    """The files that mutants and planted bugs are run with."""
    return [vector_file(number) for number, entry in enumerate(vector_entries()) if entry.get("of_mutants")]


def vectors(number):
    """Each case runs on the set that it is for."""
    return [run(name, "vectors", vector_file(number)) for name in vector_entries()[number]["sets"]]


def directed(options):
    item = block.this().item("directed")
    if item is None:
        return []
    long = item.get("long", []) if options.nightly else []
    return together([(name, "directed", *(["--long"] if models.counts_coverage(name) or name in long else []))
                     for name in block.this().sets])


def random(options):
    item = block.this().item("random")
    if item is None:
        return []
    tests = options.choose(*item["seeds"])
    return together([(name, "random", "--seed", options.seed, "--tests", tests) for name in block.this().sets])


def lockstep(options):
    item = block.this().item("lockstep")
    if item is None:
        return []
    return [run(options.choose(*item["sets"]), "lockstep", "--seed", options.seed, "--cycles", options.choose(*item["cycles"]))]


def everything(options):
    of_vectors = [r for number in range(len(vector_entries())) for r in vectors(number)]
    return of_vectors + directed(options) + random(options) + lockstep(options)


def of_toggles(options):
    """The runs of a build that counts toggles apart: vectors of the usual set, directed tests, the random ones of minutes."""
    name, this = models.of_toggles(), block.this()
    if name is None:
        return []
    runs = [(name, "vectors", vector_file(n)) for n, entry in enumerate(vector_entries()) if this.usual in entry["sets"]]
    runs += [(name, "directed", "--long")] if this.item("directed") is not None else []
    random_item = this.item("random")
    runs += [(name, "random", "--seed", options.seed, "--tests", random_item["seeds"][0])] if random_item is not None else []
    return together(runs)


def with_coverage(options):
    """The runs of the builds that count: of the usual set."""
    return [r for r in everything(options) if models.counts_coverage(r.set)] + of_toggles(options)


def cover_counts(results):
    """{point: count} of functional coverage, added up. A point that only a set drawn from the seed has, such as a split
    of its lanes, is left out: what is demanded does not depend on the seed."""
    counts, fixed = collections.Counter(), set()
    for r in results:
        if not r.cover.exists():
            continue
        for line in r.cover.read_text().splitlines():
            name, _, count = line.rpartition(" ")
            counts[name] += int(count)
            if r.set not in block.this().drawn:
                fixed.add(name)
    return collections.Counter({name: count for name, count in counts.items() if name in fixed})


def fired_assertions(results):
    """{(file, line)} of assertions of the RTL that fired."""
    return {(f, int(n)) for r in results for f, n in re.findall(r"assertion@(\S+?):(\d+)", r.output)}
