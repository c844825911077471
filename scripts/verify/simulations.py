# SPDX-License-Identifier: Apache-2.0
"""Runs of the bench: each program once for each mode and arguments; all that need its result share it."""
import collections
import functools
import pathlib
import re
import shutil

import compiling
import models
import place
import worked_cases

VECTORS = place.CHECK / "directed" / "vectors.txt"
Result = collections.namedtuple("Result", "set mode totals ok output cover coverage")


def again(arguments, program):
    return f"{program.relative_to(place.ROOT)} {' '.join(map(str, arguments))}"


@functools.lru_cache(maxsize=None)
def run(name, *arguments):
    """One run of bench_NAME; `arguments` begin with the mode."""
    program = models.build_program(models.named(name))
    words = [pathlib.Path(str(a)).stem if isinstance(a, pathlib.Path) else re.sub(r"\W", "", str(a)) for a in arguments]
    stem = "_".join([name, *words])
    folder = place.OUT / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    cover, coverage = folder / f"{stem}.cover", folder / f"{stem}.dat"
    more = ["--cover", cover] + (["--coverage", coverage] if name == "coverage" else [])
    output, status = place.run([program, *arguments, *more], log=folder / f"{stem}.log", check=False)
    found = re.search(r"^totals: (.*)$", output, re.M)
    totals = {k: v for k, v in re.findall(r"(\w+) (\S+)", found.group(1))} if found else {}
    totals = {k: float(v) if re.fullmatch(r"[\d.]+", v) else v for k, v in totals.items()}
    return Result(name, arguments[0], totals, status == 0 and bool(found), output, cover, coverage)


def clear():
    """Removes files of earlier runs: counts must come from this run."""
    shutil.rmtree(place.OUT / "runs", ignore_errors=True)


def sets():
    return list(models.parameter_sets())


def together(runs):
    """Runs as many at a time as there are cores; returns the results in order."""
    return compiling.in_parallel([lambda r=r: run(*r) for r in runs])


def vectors():
    """Each case runs on the set with its number of lanes."""
    return [run(name, "vectors", VECTORS) for name in ("2x2", "2x4", "2x8", "2x16")]


def worked():
    return run("2x8", "vectors", worked_cases.as_vectors())


def directed():
    return together([(name, "directed") for name in sets()])


def random(options):
    tests = options.choose(20, 200)
    return together([(name, "random", "--seed", options.seed, "--tests", tests) for name in sets()])


def lockstep(options):
    return run(options.choose("2x8", "fast"), "lockstep", "--seed", options.seed, "--cycles", options.choose(1000000, 10000000))


def with_coverage(options):
    return together([("coverage", "directed", "--long"),
                     ("coverage", "random", "--seed", options.seed, "--tests", options.choose(20, 100))])


def everything(options):
    return vectors() + [worked()] + directed() + random(options) + [lockstep(options)] + with_coverage(options)


def cover_counts(results):
    """{point: count} of functional coverage, added up."""
    counts = collections.Counter()
    for r in results:
        if not r.cover.exists():
            continue
        for line in r.cover.read_text().splitlines():
            name, _, count = line.rpartition(" ")
            counts[name] += int(count)
    return counts


def fired_assertions(results):
    """{(file, line)} of assertions of the RTL that fired."""
    return {(f, int(n)) for r in results for f, n in re.findall(r"assertion@(\S+?):(\d+)", r.output)}
