# SPDX-License-Identifier: Apache-2.0
"""Mutants of a block that is too large for a netlist of bits: memories stay memories, vectors stay vectors. Drawn evenly over
all of it from the seed, all of a batch in one netlist behind an input that says which one is alive. The bench's own top is not around it: it may
look at signals that a netlist does not have."""
import random
import re

import block
import compiling
import models
import mutating
import place
from mutating import SELECT, folder

BATCH = 125  # mutants in a netlist
NEVER = ("never drawn: a mutant that makes a bit of a cell's output depend on another one of it, that changes a pin which a memory has in "
         "name only, or whose bit no output of the block depends on")


def block_file():
    return folder() / "hardware.il"


def design():
    """The hardware as Yosys has it after `prep`, without gates whose result does not depend on an input: a mutant of them would be
    the block."""
    top = block.this().top
    mutating.yosys(f"""{mutating.reading("-DSYNTHESIS")}
{mutating.set_parameters(block.this().parameters("mutation"))}
prep -top {top}
opt -full
wreduce
opt -full
opt_clean
rename -top {top}
write_rtlil {place.relative(block_file())}
""", folder() / "hardware.log")


def modules():
    return re.findall(r"^module (\S+)", block_file().read_text(), re.M)


def joins_outputs(mutant):
    """Whether it makes a bit of a cell's output depend on another one of it. As the vector stays whole, that would be a loop
    to Verilator 5.006, which it does not evaluate as it should."""
    return re.search(r"-mode cnot\d .*-port (Y|Q|RD_DATA|\S+_o) ", mutant.key) is not None


def changes_unused_pin(mutant):
    """Whether it changes a pin that a memory's asynchronous read port has in name only: Yosys refuses such a cell."""
    return re.search(r"-port RD_(ARST|SRST|EN|CLK) ", mutant.key) is not None


def read_by_outputs(mutants):
    """Those whose bit an output of the block may depend on. Nothing reads the others: they are in front of cells that only assertions
    have a use for, or that tell when a clock may stop where its gate is a wire."""
    to = folder() / "flat.il"
    mutating.yosys("\n".join([f"read_rtlil {place.relative(block_file())}", *(m.command for m in mutants), "flatten",
                              "opt_clean -purge", f"write_rtlil {place.relative(to)}", ""]), folder() / "flat.log")
    alive = {int(number, 2) for number in re.findall(r"^    connect \\B 16'([01]{16})\n    connect \\Y ", to.read_text(), re.M)}
    return [m for m in mutants if m.number in alive]


def draw(count, seed):
    """So many mutants, and how many Yosys can make: of all kinds, those that are never drawn among them."""
    design()
    to, said = folder() / "block.list", folder() / "block.size"
    every = " ".join(name.removeprefix("\\") for name in modules())
    mutating.yosys(f"read_rtlil {place.relative(block_file())}\ntee -q -o {place.relative(said)} mutate -list {count + count // 2} "
                   f"-seed {seed} -ctrl {SELECT} 16 1 -o {place.relative(to)} {every}\n", folder() / "draw_block.log")
    possible = int(re.search(r"Raw database size: (\d+)", said.read_text()).group(1))
    drawn = read_by_outputs([m for m in mutating.read_list(to, "") if not joins_outputs(m) and not changes_unused_pin(m)])
    return sorted(random.Random(seed).sample(drawn, min(count, len(drawn)))), possible


def ports():
    """[(name, width, is an input)] of the block."""
    top = block_file().read_text().split(f"\nmodule \\{block.this().top}\n", 1)[1].split("\nend\n", 1)[0]
    found = re.findall(r"^  wire (?:width (\d+) )?(?:signed )?(input|output) \d+ \\(\w+)$", top, re.M)
    return [(name, int(width or 1), way == "input") for width, way, name in found]


def shell():
    """The block's ports and parameters around the netlist, which has the parameters' values in it. The choice of the mutant
    is a variable inside, so that what hangs on it alone is computed once."""
    names = [name for name, _, _ in ports()]
    parameters = ", ".join(f"parameter {name} = 0" for name in block.this().defaults)
    lines = [f"module {block.this().top} " + (f"#({parameters}) " if parameters else "") + "(" + ", ".join(names) + ");"]
    lines += [f"  {'input' if is_input else 'output'} [{width - 1}:0] {name};" for name, width, is_input in ports()]
    lines.append(f"  reg [15:0] {SELECT} /* verilator public_flat_rw */;")
    pins = ", ".join(f".{name}({name})" for name in names + [SELECT])
    return "\n".join(lines) + f"\n  mutants u_mutants ({pins});\nendmodule\n"


def netlist(mutants, batch):
    """One Verilog file. Vectors that Yosys itself makes up from parts of each other are taken apart: they, too, would be
    loops."""
    to = folder() / f"mutants_{batch}.v"
    mutating.yosys("\n".join([f"read_rtlil {place.relative(block_file())}", *(m.command for m in mutants),
                              "splitnets w:$*memwr* w:$sub* w:$auto*", "opt_clean", "rename -top mutants",
                              f"write_verilog -noattr {place.relative(to)}", ""]), folder() / f"netlist_{batch}.log")
    with to.open("a") as file:
        file.write(shell())
    return to


def build(mutants, batch):
    opened = [f for f in block.this().bench_sources if f.suffix == ".vlt"]
    return models.build_program(models.Build(
        f"mutants_{batch}", set_name="mutation", sources=opened + [netlist(mutants, batch)], top=block.this().top,
        assertions=False, select=SELECT, optimise="-O1", flags=["-Wno-lint", "-Wno-style", "-Wno-DECLFILENAME", "-Wno-fatal"]))


def programs(mutants):
    """[(program, its mutants)]: those of a module together."""
    by_module = sorted(mutants, key=lambda m: (m.module, m.number))
    parts = [by_module[i:i + BATCH] for i in range(0, len(by_module), BATCH)]
    return list(zip(compiling.in_parallel([lambda i=i, b=b: build(b, i) for i, b in enumerate(parts)]), parts))
