# SPDX-License-Identifier: Apache-2.0
"""Mutants of the block by Yosys: drawn evenly over each module, all of them in one netlist behind an input that says
which one is alive."""
import collections
import re

import models
import place

Mutant = collections.namedtuple("Mutant", "number module key command")
SELECT = "mutsel"
FOLDER = place.OUT / "mutants"
DESIGN = FOLDER / "design.il"


def sources():
    files = place.rtl_sources() + sorted(place.COMMON.glob("*.sv"))
    return [f.relative_to(place.ROOT) for f in files]


def modules():
    """Names of our modules, in the order in which mutants are numbered."""
    return sorted(f.stem for f in sources() if not f.name.endswith("_pkg.sv"))


def yosys(script, log):
    path = log.with_suffix(".ys")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    # Names of cells hold the names of files: from the root, so that they are the same everywhere.
    return place.run(["yosys", "-q", "-s", path], log=log, cwd=place.ROOT)


def design():
    """The block as Yosys has it after `prep`, the same for drawing, for the netlist and for proofs."""
    given = models.parameters_of("mutation")
    sets = " ".join(f"-set {models.PARAMETERS[key]} {value}" for key, value in given.items())
    yosys(f"read_verilog -sv -DSYNTHESIS -I{place.COMMON.relative_to(place.ROOT)} " + " ".join(map(str, sources())) + f"""
chparam {sets} {place.TOP}
prep -top {place.TOP}
rename -top {place.TOP}
write_rtlil {DESIGN.relative_to(place.ROOT)}
""", FOLDER / "design.log")
    return DESIGN


def variants():
    """{module: its names in the design}: one for each set of parameters that it is used with."""
    names = collections.defaultdict(list)
    for name in re.findall(r"^module (\S+)", DESIGN.read_text(), re.M):
        base = [m for m in modules() if m in re.split(r"[\\]", name)]
        if base:
            names[base[0]].append(name)
    return names


def draw(count, seed=1):
    """So many mutants of each module; of fewer places there are fewer."""
    design()
    lists, number = [], 1
    script = f"read_rtlil {DESIGN.relative_to(place.ROOT)}\n"
    for module, names in sorted(variants().items()):
        to = FOLDER / f"{module}.list"
        lists.append((module, to))
        to.unlink(missing_ok=True)
        script += f"mutate -list {count} -seed {seed} -ctrl {SELECT} 16 {number} -o {to.relative_to(place.ROOT)} " + \
                  " ".join(name.removeprefix("\\") for name in names) + "\n"
        number += count
    yosys(script, FOLDER / "draw.log")
    mutants = []
    for module, path in lists:
        for command in path.read_text().splitlines():
            number = int(re.search(rf"-ctrl {SELECT} 16 (\d+)", command).group(1))
            key = re.sub(rf"^mutate -ctrl {SELECT} 16 \d+ ", "", command)
            # Where it comes from is for people; where it is must not depend on that.
            key = re.sub(r" -src \S+", "", key)
            mutants.append(Mutant(number, module, key, command))
    return mutants


def netlist(mutants):
    """One Verilog file with all of them."""
    script = f"read_rtlil {DESIGN.relative_to(place.ROOT)}\n" + "\n".join(m.command for m in mutants)
    to = FOLDER / "mutants.v"
    yosys(script + f"\nopt_clean\nwrite_verilog -noattr {to.relative_to(place.ROOT)}\n", FOLDER / "netlist.log")
    # The choice is made inside, not by a pin: what hangs on it alone is then computed once.
    head, top = re.split(rf"(?=^module {place.TOP}\()", to.read_text(), flags=re.M)
    top = re.sub(rf", *{SELECT}\);", ");", top, count=1)
    top = re.sub(rf"^ *input \[15:0\] {SELECT};\n(?: *wire \[15:0\] {SELECT};\n)?",
                 f"  reg [15:0] {SELECT} /* verilator public_flat_rw */;\n", top, count=1, flags=re.M)
    to.write_text(head + top)
    return to


def program(mutants):
    build = models.Build("mutants", set_name="mutation", sources=[netlist(mutants)], assertions=False, select=f"{place.TOP}__DOT__{SELECT}",
                         parameterised=False, flags=["-Wno-lint", "-Wno-style", "-Wno-fatal"], optimise="-O1")
    return models.build_program(build)
