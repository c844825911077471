# SPDX-License-Identifier: Apache-2.0
"""Mutants: drawn and run; survivors are looked up in the list of equivalent ones, or proven equivalent."""
import re

import block
import compiling
import description
import equivalence
import mutating
import place
import sequential
import simulations
import vector_mutants
from items import Row


def list_file():
    return block.this().file(block.this().item("mutants")["equivalent"])


def listed():
    """{key of a mutant: its proof}, and whether the list was made from this very RTL; if not, it is not valid."""
    if "equivalent" not in block.this().item("mutants") or not list_file().exists():
        return {}, False
    text = description.read(list_file())
    current = text.get("made_from") == equivalence.digest()
    return {e["mutant"]: e["shown"] for e in text["equivalent"] or []}, current


def run(program, mutants, short):
    if not mutants:
        return {}
    command = [program, "mutants", *simulations.of_mutants(), "--mutants", ",".join(str(m.number) for m in mutants)]
    said, status = place.run(command + (["--short"] if short else []), check=False)
    told = {int(n): how for n, how in re.findall(r"^mutant (\d+) (survived|killed .*)$", said, re.M)}
    if status != 0:
        at = next((m for m in mutants if m.number not in told), None)
        raise place.Failed(f"the bench ended with status {status} in mutant {at.key if at else 'none'}; again: {program.name} "
                           f"mutants --mutants {at.number if at else 0}")
    return told


def outcome(mutants, known):
    """{number: how it died or "survived"}. A known equivalent mutant only has to survive the short tests."""
    result = {}

    def of_batch(program, batch):
        # The netlist without an active mutant must pass, or every mutant would seem to be found.
        plain = run(program, [mutating.Mutant(0, "", "", "")], True)
        if plain.get(0) != "survived":
            raise place.Failed(f"the netlist without a mutant does not pass: {plain}")
        return run(program, [m for m in batch if m.key in known], True) | run(
            program, [m for m in batch if m.key not in known], False)

    for found in compiling.in_parallel([lambda p=p, b=b: of_batch(p, b) for p, b in programs(mutants)]):
        result.update(found)
    missing = [m.number for m in mutants if m.number not in result]
    if missing:
        raise place.Failed(f"the bench said nothing of mutants {missing[:9]}")
    return result


def prove(mutants):
    return sequential.prove(mutants) if block.this().keeps_vectors else equivalence.prove(mutants)


def possible_of_bits():
    """How many mutants a small block has."""
    said, every = mutating.folder() / "block.size", " ".join(
        name.removeprefix("\\") for names in mutating.variants().values() for name in names)
    mutating.yosys(f"read_rtlil {place.relative(mutating.block_file())}\ntee -q -o {place.relative(said)} mutate -list 1 {every}\n",
                   mutating.folder() / "size.log")
    return int(re.search(r"Raw database size: (\d+)", said.read_text()).group(1))


def programs(mutants):
    return vector_mutants.programs(mutants) if block.this().keeps_vectors else mutating.programs(mutants, mutating.BATCHES)


def judge(mutants, options, name, demand):
    known, current = listed()
    # Each nightly run proves everything anew.
    trusted = known if current and not options.nightly and not options.update else {}
    if block.this().keeps_vectors:
        sequential.proofs_hold(mutants)
    how = outcome(mutants, trusted)
    survivors = [m for m in mutants if how[m.number] == "survived"]
    shown = {m.key: trusted[m.key] for m in survivors if m.key in trusted}
    by_proof = sequential.kill([m for m in survivors if m.key not in trusted]) if block.this().keeps_vectors else {}
    shown.update(prove([m for m in survivors if m.key not in trusted and m.key not in by_proof]))
    open_ones = [m for m in survivors if m.key not in shown and m.key not in by_proof]
    lies = [m for m in mutants if m.key in trusted and how[m.number] != "survived"]
    killed = len(mutants) - len(survivors) + len(by_proof)
    details = [f"{len(mutants)} mutants, {killed} killed, {len(shown)} equivalent, {len(open_ones)} open"]
    details += [f"open: {m.module}: {m.key}" for m in open_ones] + [f"listed as equivalent, but {how[m.number]}: {m.key}"
                                                                    for m in lies]
    details += [f"killed by {how}: {key}" for key, how in by_proof.items()]
    details += [f"equivalent, {shown[m.key]}: {m.key}" for m in survivors if m.key in shown]
    return Row(name, demand, f"{killed} of {len(mutants) - len(shown)}, {len(shown)} equivalent",
               not open_ones and not lies, details), shown


def of_modules(options):
    """Always the same, so that the equivalent ones can be listed."""
    count = block.this().item("mutants").get("a_module")
    if count is None:
        return []
    row, shown = judge(mutating.draw(count), options, f"mutants, {count} a module", "all killed but equivalent ones")
    if options.update:
        save(shown)
    return [row]


def of_block(options):
    """Drawn anew from each seed."""
    count = block.this().item("mutants").get("of_block", 500)
    if block.this().keeps_vectors:
        mutants, possible = vector_mutants.draw(count, options.seed)
        possible = f"{possible}, those that are never drawn among them,"
    else:
        mutants, possible = mutating.draw_block(count, options.seed), possible_of_bits()
    row, _ = judge(mutants, options, f"mutants, {len(mutants)} of {possible} by seed {options.seed}",
                   "all killed but equivalent ones")
    if block.this().keeps_vectors:
        row.details.append(vector_mutants.NEVER)
    return [row]


def rows(options):
    item = block.this().item("mutants")
    return of_modules(options) + (of_block(options) if options.nightly or item.get("nightly") else [])


def save(shown):
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             "# Mutants that no test can tell from the block, and how that was shown: by Yosys, in this very RTL. Written by",
             f"# `./contraflow verify {block.this().name} --only mutants --update-equivalents`; each nightly run shows all of it",
             "# again.",
             f"made_from: {equivalence.digest()}", "equivalent:"]
    for key, how in sorted(shown.items()):
        lines.append("  - mutant: '" + key.replace("'", "''") + "'")
        lines.append(f"    shown: {how}")
    list_file().write_text("\n".join(lines) + "\n")
