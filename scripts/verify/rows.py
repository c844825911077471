# SPDX-License-Identifier: Apache-2.0
"""The items of the verification: each is a function that takes the options and gives rows of the table."""
import collections
import fnmatch
import functools
import re
import threading

import assertions
import block
import bugs
import coverage
import description
import lint_item
import models
import mutants_item
import place
import plan
import simulations
import x_check
from items import Row


def failures(results):
    """A run's messages about failing tests, with the command that repeats each."""
    return [f"{r.set}: {line}" for r in results if not r.ok for line in (r.output.splitlines()[:16] or ["no output"])]


def total(results, what):
    return int(sum(r.totals.get(what, 0) for r in results))


def sets():
    return f"{len(block.this().sets)} sets" if len(block.this().sets) > 1 else "1 set"


def lint(options):
    found, waivers = lint_item.warnings()
    return [Row(f"lint (verilator -Wall, {len(lint_item.sets())} sets)", "0 warnings, at most 10 waivers",
                f"{len(found)} warnings, {waivers} waivers", not found and waivers <= 10, found[:20])]


def vectors(options):
    rows = []
    for number, entry in enumerate(simulations.vector_entries()):
        results = simulations.vectors(number)
        passed = total(results, "tests") - total(results, "failed")
        there = len(re.findall(entry.get("cases", r"^vector "), simulations.vector_file(number).read_text(), re.M))
        least = entry.get("at_least", 1)
        rows.append(Row(entry["row"], f"{least} or more, all" if least > 1 else f"all {there}", f"{passed} of {there}",
                        passed == there >= least and all(r.ok for r in results), failures(results)))
    return rows


def directed(options):
    results = simulations.directed(options)
    return [Row(f"directed tests, {sets()}", "all pass", f"{total(results, 'tests') - total(results, 'failed')} of "
                f"{total(results, 'tests')}", all(r.ok and r.totals["tests"] > 0 for r in results), failures(results))]


def random(options):
    item = block.this().item("random")
    results = simulations.random(options)
    demand = options.choose(*item["seeds"])
    tests = total(results, "tests")
    rows = [Row(f"random tests, {sets()}", f"{demand} seeds a set", f"{tests // len(results)} seeds from {options.seed}, "
                f"{total(results, 'failed')} failed", all(r.ok for r in results) and tests >= demand * len(results),
                failures(results))]
    every = simulations.directed(options) + results
    reached = ", ".join(f"{total(every, what)} {what}" for what in item["compared"])
    rows.append(Row("scoreboard", "each transaction compared, none left over", f"{reached} in {total(every, 'cycles')} cycles",
                    all(r.ok and r.totals[what] > 0 for r in every for what in block.this().needed_of("random", r.set))))
    return rows


def lockstep(options):
    item = block.this().item("lockstep")
    demand = options.choose(*item["cycles"])
    r, = simulations.lockstep(options)
    seconds = r.totals.get("seconds", 0)
    rows = [Row("lockstep with the model", f"{demand} cycles, no difference", f"{total([r], 'modelled')} cycles, "
                f"{total([r], 'failed')} differences", r.ok and r.totals["modelled"] >= demand, failures([r]))]
    if options.nightly:
        rows.append(Row("lockstep speed", f"{item['seconds']} s of a core", f"{seconds:.1f} s", 0 < seconds <= item["seconds"]))
    return rows


def code_coverage(options):
    results = simulations.with_coverage(options)
    files = [r.coverage for r in results]
    judged, unused, exclusions = coverage.judge(files)
    place.say(f"verify: the sources with their counts: {place.relative(coverage.annotate(files))}")
    rows = []
    for kind, (reached, points, holes) in judged.items():
        excluded = sum(n for e, n in exclusions if e["kind"] == kind)
        rows.append(Row({"toggle": "port toggle, both ways"}.get(kind, kind) + " coverage", "100 %",
                        f"{100 * reached / max(1, points):.1f} % of {points}, {excluded} excluded",
                        reached == points > 0 and all(r.ok for r in results),
                        [f"{h.where} {h.text} ({h.count})" for h in holes] + failures(results)))
    rows.append(Row("coverage exclusions", "none without use", f"{sum(e['kind'] in judged for e, _ in exclusions)}, {len(unused)} without use", not unused,
                    [str(e) for e in unused]))
    return rows


def functional(options):
    counts = simulations.cover_counts(simulations.everything(options))
    missing = sorted(name for name, count in counts.items() if count == 0)
    return [Row("functional cover points", "100 %", f"{len(counts) - len(missing)} of {len(counts)}",
                bool(counts) and not missing, missing)]


def judged_assertions(options):
    results = simulations.everything(options)
    files = [r.coverage for r in results if models.counts_coverage(r.set)]
    shown_by = {number: a["shown_by"] for number, a in plan.read()["assertions"].items() if "shown_by" in a}
    return assertions.judge(simulations.fired_assertions(results), files, shown_by, covered_by_proof())


@functools.lru_cache(maxsize=None)
def proof_shows(proof):
    """Whether a proof of the block's list holds, and the names of what it asserts or reaches."""
    this = block.this()
    path = this.file(this.item("proofs")["list"])
    known_one("the plan", "proof", proof, [p["name"] for p in description.read(path)["proofs"]])
    to = this.out / f"shown_by_{proof}"
    to.parent.mkdir(parents=True, exist_ok=True)
    _, status = place.run([place.ROOT / "scripts" / "prove", this.name, proof, "--told", to], check=False)
    return status == 0, set(to.read_text().split()) if status == 0 else set()


def known_one(where, what, name, known):
    if name not in known:
        near = description.nearest(name, known, "'")
        raise place.Failed(f"{where}: no {what} '{name}'{near}; there are {', '.join(known)}")


def covered_by_proof():
    """Cover points that only a proof reaches, of those that the proof named with them does reach."""
    listed = plan.read().get("covered_by_proof", {})
    return {cover for cover, entry in listed.items() if cover in proof_shows(entry["proof"])[1]}


def shown_elsewhere(number, entry, options):
    """What falls short of an item that a proof or another row of the table shows."""
    short = []
    if "proof" in entry and not proof_shows(entry["proof"])[0]:
        short.append(f"proof {entry['proof']} does not hold")
    if "row" in entry:
        known_one(f"the plan: {number}", "row", entry["row"], [name for name in APART if block.this().item(name) is not None])
        short += [f"row '{row.item}' falls short" for row in result(entry["row"], options) if not row.ok]
    return short


def listed_numbers():
    item = block.this().item("assertions")
    return [f"{item['prefix']}{i}" for i in range(1, item["count"] + 1)]


def judged_list(options):
    """[(number, text, names in the code, instead, shortfalls)] of the list that the block is held against."""
    judged, _ = judged_assertions(options)
    listed = plan.read()["assertions"]
    result = []
    for number in listed_numbers():
        entry = listed.get(number, {})
        names = [n for n in judged if any(fnmatch.fnmatchcase(n, p) for p in entry.get("by", []))]
        short = [f"{n} fired" for n in names if not judged[n][0]]
        short += [f"{n} is vacuous ({', '.join(judged[n][2]) or 'no cover'})" for n in names if judged[n][0] and not judged[n][1]]
        short += shown_elsewhere(number, entry, options)
        if not names and "row" not in entry and "proof" not in entry:
            short.append("not in the code" if entry else "not in the plan")
        result.append((number, entry.get("text", ""), names, entry.get("instead", ""), short))
    return result


def assertion_list(options):
    judged, _ = judged_assertions(options)
    judged_numbers = judged_list(options)
    short = [f"{number}: {'; '.join(lacks)}" for number, _, _, _, lacks in judged_numbers if lacks]
    details = [f"{number}: {text}: {', '.join(names) or 'none in the code'}" + (f" (instead: {instead})" if instead else "")
               for number, text, names, instead, _ in judged_numbers]
    unlisted = [n for n in judged if not judged[n][0] and not assertions.by_number(n)]
    numbers = listed_numbers()
    return [Row(f"assertions {numbers[0]} to {numbers[-1]}", "all pass, none vacuous",
                f"{len(numbers) - len(short)} of {len(numbers)}, {len(judged)} assertions",
                not short and not unlisted, short + [f"fired: {n}" for n in unlisted] + details)]


def verification_plan(options):
    results = simulations.everything(options)
    judged, covers = judged_assertions(options)
    failed = {w for r in results if not r.ok for w in re.findall(r"cycle \d+: ([\w.]+):", r.output)}
    rows, wrong = plan.judge(simulations.cover_counts(results), judged, covers, failed)
    assertion_lines = [f"| {number} | {text}{'. Instead: ' + instead if instead else ''} | {plan.code(names) or 'none'} | "
                       f"{'; '.join(lacks) or 'pass'} |" for number, text, names, instead, lacks in judged_list(options)]
    text = plan.as_page(rows, assertion_lines)
    if options.update_plan:
        plan.page_file().write_text(text)
    page = plan.page_file()
    if not page.exists() or page.read_text() != text:
        found = block.this().out / "plan.md"
        found.write_text(text)
        wrong.append(f"{place.relative(page)} is not what this run found (that is in {place.relative(found)}); --update-plan "
                     "writes it")
    bad = [f"{row.feature}: {note}" for row in rows for note in row.notes]
    return [Row("verification plan", "every feature passes, page is current",
                f"{sum(not row.notes for row in rows)} of {len(rows)}", not bad and not wrong, wrong + bad)]


def planted_bugs(options):
    found, there, clean = bugs.run(simulations.of_mutants(), options)
    wrong = [f"the block as it is: {', '.join(sorted(clean))}"] if clean else []
    details = []
    for bug, fired, failing in found:
        details.append(f"{bug.name}: {bug.what} Found by {bug.detector}" + (f" and {len(bug.also)} more" if bug.also else ""))
        short = bugs.shortfall(bug, fired, failing)
        wrong += [short] if short else []
    least = block.this().item("bugs")["at_least"]
    some = f", drawn from {there}" if len(found) < there else ""
    return [Row("bugs written by hand", f"{least} or more, each by its detectors",
                f"{len(found) - len(wrong)} of {len(found)}{some}", not wrong and there >= least, wrong + details)]


def netlist(options):
    item = block.this().item("netlist")
    after, unreset = x_check.simulate(options.choose(*item["sets"]), options.choose(*item["cycles"]), options.seed)
    played = "vectors" in item
    ok = after["unknown"] == 0 and all(after[what] > 0 for what in item["needed"]) and unreset["unknown"] > 0
    ok = ok and after["different"] == 0 and after["cycles"] >= options.choose(*item["cycles"])
    reached = ", ".join(f"{after[what]} {what}" for what in item["needed"])
    different = f"{after['different']} cycles unlike the RTL, " if played else ""
    if not played and after["different"]:
        different = f"{after['different']} registers unlike those after the first reset, "
    return [Row("netlist in Icarus, after reset", "no X on an output" + (", all as the RTL's" if played else ""),
                f"{after['unknown']} X in {after['cycles']} cycles, {different}{reached}; {unreset['unknown']} without the reset", ok)]


def mutants(options):
    return mutants_item.rows(options)


def said_by(name, command, what):
    """A check by a command: one line each, and its status."""
    output, status = place.run(command, log=block.this().out / f"{name}.log", check=False)
    lines = [line for line in output.splitlines() if line.strip()]
    return Row(what, "status 0", lines[-1].strip()[:90] if lines else "nothing said", status == 0, lines[-60:])


def proofs(options):
    command = [place.ROOT / "scripts" / "prove", block.this().name] + (["--all"] if options.nightly else [])
    bounds = block.this().item("proofs").get("bounds")
    return [said_by("prove", command, "proofs (Yosys, z3)" + (f"; {bounds}" if bounds else ""))]


def synthesis(options):
    command = [place.ROOT / "scripts" / "synthesise", block.this().name] + (["--all"] if options.nightly else [])
    return [said_by("synthesise", command, "synthesis within budget")]


def soak(options):
    count = block.this().item("soak")["packets"]
    command = [place.ROOT / "contraflow", "soak", block.this().name, str(count), str(options.seed)]
    return [said_by("soak", command, f"lockstep with the model, {count} packets")]


ITEMS = {"lint": lint, "vectors": vectors, "directed": directed, "random": random, "lockstep": lockstep,
         "coverage": code_coverage, "functional": functional, "assertions": assertion_list, "plan": verification_plan,
         "bugs": planted_bugs, "mutants": mutants, "netlist": netlist, "proofs": proofs, "synthesis": synthesis,
         "soak": soak}
APART = ("bugs", "mutants", "netlist", "proofs", "synthesis", "soak")  # need no run of the bench on the unchanged block
MADE = {}
MAKING = collections.defaultdict(threading.Lock)


def result(name, options):
    """The rows of an item, made once a run: the plan asks for some, too."""
    with MAKING[name]:
        if name not in MADE:
            MADE[name] = ITEMS[name](options)
        return MADE[name]
