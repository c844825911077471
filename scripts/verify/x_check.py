# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist in Icarus: no output bit is unknown after reset."""
import re

import block
import mutating
import place


def folder():
    return block.this().out / "netlist"


def netlist(set_name):
    top = block.this().top
    to = folder() / f"{set_name}.v"
    mutating.yosys(f"""{mutating.reading("-DSYNTHESIS")}
{mutating.set_parameters(block.this().parameters(set_name))}
synth -top {top} -flatten
rename -top {top}
write_verilog -noattr {place.relative(to)}
""", folder() / f"{set_name}.log")
    return to


def count(line):
    return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", line)}


def simulate(set_name, cycles, seed):
    """The counts of the bench, with a reset and without one."""
    this = block.this()
    gates = netlist(set_name)
    bench = this.file(this.item("netlist")["bench"])
    # The bench has those parameters of the block that it needs.
    own = set(re.findall(r"^ *parameter (\w+)", bench.read_text(), re.M))
    values = {**this.defaults, **this.parameters(set_name)}
    given = [f"-P{bench.stem}.{name}={value}" for name, value in values.items() if name in own]
    program = folder() / f"{set_name}.vvp"
    place.run(["iverilog", "-g2005-sv", *given, "-o", program, bench, gates], log=folder() / f"{set_name}_icarus.log")
    results = []
    for more in ([f"+cycles={cycles}"], ["+cycles=50", "+unreset"]):
        said, _ = place.run(["vvp", "-n", program, f"+seed={seed}"] + more)
        line = [text for text in said.splitlines() if text.startswith("x_check:")]
        if not line:
            raise place.Failed(f"the netlist's bench ended without a result:\n{said[-500:]}")
        results.append(count(line[0]))
    return results
