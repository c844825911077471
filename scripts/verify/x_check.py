# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist in Icarus: no output bit is unknown after reset."""
import re

import models
import mutating
import place

FOLDER = place.OUT / "netlist"
BENCH = place.CHECK / "netlist" / "x_check.v"


def netlist(set_name):
    given = models.parameters_of(set_name)
    sets = " ".join(f"-set {models.PARAMETERS[key]} {value}" for key, value in given.items())
    to = FOLDER / f"{set_name}.v"
    mutating.yosys(f"read_verilog -sv -DSYNTHESIS -I{place.COMMON.relative_to(place.ROOT)} "
                   + " ".join(map(str, mutating.sources())) + f"""
chparam {sets} {place.TOP}
synth -top {place.TOP} -flatten
rename -top {place.TOP}
write_verilog -noattr {to.relative_to(place.ROOT)}
""", FOLDER / f"{set_name}.log")
    return to, 2 * given["lanes_per_direction"]


def count(line):
    return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", line)}


def simulate(set_name, cycles, seed):
    """The counts of the bench, with a reset and without one."""
    gates, lanes = netlist(set_name)
    program = FOLDER / f"{set_name}.vvp"
    place.run(["iverilog", "-g2005-sv", f"-Px_check.LANES={lanes}", f"-Px_check.COUNT={20 + (lanes - 1).bit_length()}",
               "-o", program, BENCH, gates], log=FOLDER / f"{set_name}_icarus.log")
    results = []
    for more in ([f"+cycles={cycles}"], ["+cycles=50", "+unreset"]):
        said, _ = place.run(["vvp", "-n", program, f"+seed={seed}"] + more)
        line = [text for text in said.splitlines() if text.startswith("x_check:")]
        if not line:
            raise place.Failed(f"the netlist's bench ended without a result:\n{said[-500:]}")
        results.append(count(line[0]))
    return results
