# SPDX-License-Identifier: Apache-2.0
"""Mutants of the block by Yosys: drawn evenly over each module, all of them in one netlist behind an input that says
which one is alive."""
import collections
import re

import block
import compiling
import models
import place

Mutant = collections.namedtuple("Mutant", "number module key command")
SELECT = "mutsel"
BATCHES = 4  # netlists: each mutant in one makes all of its runs slower, each netlist takes a while to compile


def folder():
    return block.this().out / "mutants"


def design_file():
    """The block with its assertions."""
    return folder() / "design.il"


def block_file():
    """The hardware alone; its cells are named as in the design."""
    return folder() / "block.il"


def reading(more=""):
    """Yosys's command that reads the sources, with names from the root: the same everywhere."""
    this = block.this()
    return f"read_verilog -sv {more} " + " ".join([f"-I{place.relative(i)}" for i in this.includes]
                                                  + [str(place.relative(f)) for f in this.sources])


def set_parameters(given):
    """Yosys's command that gives the top its parameters; empty if there are none."""
    sets = " ".join(f"-set {name} {value}" for name, value in given.items())
    return f"chparam {sets} {block.this().top}" if sets else ""


def modules():
    """Names of our modules, in the order in which mutants are numbered."""
    return sorted(set(variants()))


def yosys(script, log):
    path = log.with_suffix(".ys")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    # Names of cells hold the names of files: from the root, so that they are the same everywhere.
    return place.run(["yosys", "-q", "-s", path], log=log, cwd=place.ROOT)


def design():
    """The block as Yosys has it after `prep`, memories as registers, the same for drawing, for netlists and for proofs."""
    top = block.this().top
    helpers = " ".join(f"*/t:*{module}*" for module in block.this().not_hardware)
    yosys(f"""{reading("-formal")}
{set_parameters(block.this().parameters("mutation"))}
prep -top {top}
memory_map
rename -top {top}
write_rtlil {place.relative(design_file())}
chformal -remove
delete {helpers}
hierarchy -top {top}
opt_clean
write_rtlil {place.relative(block_file())}
""", folder() / "design.log")


def variants():
    """{module: its names in the design}: one for each set of parameters that it is used with."""
    names = collections.defaultdict(list)
    for name in re.findall(r"^module (\S+)", block_file().read_text(), re.M):
        for word in re.split(r"[\\]", name):
            if re.fullmatch(r"cf_\w+", word):
                names[word].append(name)
    return names


def draw(count, seed=1):
    """So many mutants of each module; of fewer places there are fewer."""
    design()
    lists, number = [], 1
    script = f"read_rtlil {place.relative(block_file())}\n"
    for module, names in sorted(variants().items()):
        to = folder() / f"{module}.list"
        lists.append((module, to))
        to.unlink(missing_ok=True)
        script += f"mutate -list {count} -seed {seed} -ctrl {SELECT} 16 {number} -o {place.relative(to)} " + \
                  " ".join(name.removeprefix("\\") for name in names) + "\n"
        number += count
    yosys(script, folder() / "draw.log")
    return [m for module, path in lists for m in read_list(path, module)]


def draw_block(count, seed=2):
    """So many mutants of the whole block, drawn evenly over all of it."""
    design()
    to = folder() / "block.list"
    every = " ".join(name.removeprefix("\\") for names in variants().values() for name in names)
    yosys(f"read_rtlil {place.relative(block_file())}\n"
          f"mutate -list {count} -seed {seed} -ctrl {SELECT} 16 1 -o {place.relative(to)} {every}\n",
          folder() / "draw_block.log")
    return read_list(to, "")


def read_list(path, module):
    mutants = []
    for command in path.read_text().splitlines():
        number = int(re.search(rf"-ctrl {SELECT} 16 (\d+)", command).group(1))
        key = re.sub(rf"^mutate -ctrl {SELECT} 16 \d+ ", "", command)
        # Where it comes from is for people; where it is must not depend on that.
        key = re.sub(r" -src \S+", "", key)
        name = module or next(w for w in re.split(r"[\\ ]", key) if w.startswith("cf_"))
        mutants.append(Mutant(number, name, key, command))
    return mutants


def ports():
    """[(name, width, is an input)] of the block, as the design has them."""
    top = block_file().read_text().split(f"\nmodule \\{block.this().top}\n", 1)[1]
    found = re.findall(r"^  wire (?:width (\d+) )?(?:signed )?(input|output) \d+ \\(\w+)$", top, re.M)
    return [(name, int(width or 1), way == "input") for width, way, name in found]


def shell():
    """The block's ports around a netlist whose ports are single bits. The choice of the mutant is a variable inside, so
    that what hangs on it alone is computed once."""
    lines = [f"module {block.this().top} (" + ", ".join(name for name, _, _ in ports()) + ");"]
    for name, width, is_input in ports():
        lines.append(f"  {'input' if is_input else 'output'} [{width - 1}:0] {name};")
    lines.append(f"  reg [15:0] {SELECT} /* verilator public_flat_rw */;")
    bits = []
    for name, width, _ in ports() + [(SELECT, 16, True)]:
        bits += [f".{name}({name})"] if width == 1 else [f".\\{name}[{i}] ({name}[{i}])" for i in range(width)]
    return "\n".join(lines) + "\n  mutants u_mutants (" + ",\n    ".join(bits) + ");\nendmodule\n"


def netlist(mutants, batch):
    """One Verilog file with all of a batch. Flat and bit by bit: mutants that join bits of a vector would look like loops
    through it, which Verilator 5.006 does not evaluate as it should."""
    script = f"read_rtlil {place.relative(block_file())}\n" + "\n".join(m.command for m in mutants)
    to = folder() / f"mutants_{batch}.v"
    yosys(script + f"\nflatten\nsplitnets -ports\nopt_clean\nrename -top mutants\n"
          f"write_verilog -noattr {place.relative(to)}\n", folder() / f"netlist_{batch}.log")
    with to.open("a") as file:
        file.write(shell())
    return to


def programs(mutants, batches):
    """[(program, its mutants)]: whole modules to a batch, about as many to each."""
    size = -(-len(mutants) // batches)
    by_module = collections.defaultdict(list)
    for m in mutants:
        by_module[m.module].append(m)
    parts = [[]]
    for of_module in by_module.values():
        if parts[-1] and len(parts[-1]) + len(of_module) > size + len(of_module) // 2:
            parts.append([])
        parts[-1] += of_module
    return list(zip(compiling.in_parallel([lambda i=i, b=b: build(b, i) for i, b in enumerate(parts)]), parts))


def build(mutants, batch):
    return models.build_program(models.Build(
        f"mutants_{batch}", set_name="mutation", sources=[netlist(mutants, batch)], assertions=False,
        select=f"{block.this().top}__DOT__{SELECT}", parameterised=False, optimise="-O1",
        flags=["-Wno-lint", "-Wno-style", "-Wno-DECLFILENAME", "-Wwarn-UNOPTFLAT"]))
