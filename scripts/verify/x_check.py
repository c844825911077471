# SPDX-License-Identifier: Apache-2.0
"""The synthesised netlist in Icarus: no output bit is unknown after reset. A bench makes its own inputs, or, with
`vectors`, plays what tests did at the pins of the RTL, and compares the outputs with the RTL's. Modules that are named as
`memories` stay as they are written."""
import collections
import re
import shlex

import block
import compiling
import models
import mutating
import place

FEW = 50  # cycles without the reset


def folder():
    return block.this().out / "netlist"


def netlist(set_name):
    this = block.this()
    to, memories = folder() / f"{set_name}.v", folder() / f"{set_name}_memories.v"
    boxes = " ".join(f"*{module}*" for module in this.item("netlist").get("memories", []))
    design = place.relative(folder() / f"{set_name}.il")
    mutating.yosys("\n".join([
        mutating.reading("-DSYNTHESIS"), mutating.set_parameters(this.parameters(set_name)), f"hierarchy -check -top {this.top}",
        "proc", f"write_rtlil {design}", f"blackbox {boxes}" if boxes else "", f"synth -top {this.top}",
        f"rename -top {this.top}", f"write_verilog -noattr {place.relative(to)}",
        *(["design -reset", f"read_rtlil {design}", f"select {boxes}", "memory_collect", "opt_clean",
           f"write_verilog -noattr -selected {place.relative(memories)}"] if boxes else []), ""]), folder() / f"{set_name}.log")
    return [to, memories] if boxes else [to]


def count(line):
    return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", line)}


def changes(vcd, wanted):
    """The instance in which all the wanted signals are, and its values before each edge: {name: bits} of one cycle after
    the other."""
    scopes, at, ids = [], {}, {}
    with open(vcd, encoding="ascii") as text:
        for line in text:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                at.setdefault(tuple(scopes), {})[words[4]] = (words[3], int(words[2]))
            elif words[:1] == ["$enddefinitions"]:
                break
        inside = [signals for _, signals in sorted(at.items(), key=lambda s: -len(s[0])) if wanted <= signals.keys()]
        if not inside:
            raise place.Failed(f"{place.relative(vcd)} has no instance with all ports of the block")
        widths = {}
        for name in wanted:
            code, width = inside[0][name]
            ids.setdefault(code, []).append(name)
            widths[name] = width
        values, begun = {}, False
        for line in text:
            if line[0] == "#":
                if begun and values.keys() == wanted:
                    yield values
                begun = True
            elif line[0] == "b":
                bits, code = line[1:].split()
                for name in ids.get(code, ()):
                    values[name] = bits.rjust(widths[name], "0")
            elif line[0] in "01":
                for name in ids.get(line[1:].strip(), ()):
                    values[name] = line[0]
        yield values


def ports(gates):
    """Names of the block's inputs, without the clock, and of its outputs, in the order of the netlist's ports."""
    top = re.search(rf"^module {block.this().top}\((.*?)\);\n(.*?)^endmodule", gates.read_text(), re.M | re.S)
    order, text = top.group(1).replace("\n", " ").split(","), top.group(2)
    kinds = {name: kind for kind, name in re.findall(r"^  (input|output) (?:\[\d+:0\] )?(\w+);", text, re.M)}
    names = [name.strip() for name in order if name.strip() != block.this().clock]
    return [n for n in names if kinds[n] == "input"], [n for n in names if kinds[n] == "output"]


def vectors(set_name, number, tests, gates, seed):
    """What tests did at the pins of the RTL: a line a cycle, the inputs' bits and the outputs'."""
    inputs, outputs = ports(gates)
    program = models.build_program(models.with_ports(set_name))
    wave, to = folder() / f"{set_name}_{number}.vcd", folder() / f"{set_name}_{number}.vectors"
    place.run([program, *shlex.split(tests), "--seed", seed, "--contents", seed, "--wave", wave])
    with to.open("w", encoding="ascii") as file:
        for values in changes(wave, set(inputs + outputs)):
            file.write("".join(values[n] for n in inputs) + " " + "".join(values[n] for n in outputs) + "\n")
    wave.unlink()
    return to


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
    place.run(["iverilog", "-g2005-sv", *given, "-o", program, bench, *gates], log=folder() / f"{set_name}_icarus.log")

    def bench_run(*more):
        said, _ = place.run(["vvp", "-n", program, f"+seed={seed}", *more])
        line = [text for text in said.splitlines() if text.startswith("x_check:")]
        if not line:
            raise place.Failed(f"the netlist's bench ended without a result:\n{said[-500:]}")
        return collections.Counter(count(line[0]))

    def played(number, tests):
        return [f"+vectors={vectors(set_name, number, tests, gates[0], seed)}"]

    recorded = this.item("netlist").get("vectors", [])
    if not recorded:
        return bench_run(f"+cycles={cycles}"), bench_run(f"+cycles={FEW}", "+unreset")
    # Each from an unknown state.
    files = [played(number, tests) for number, tests in enumerate(recorded)]
    results = compiling.in_parallel([lambda file=file: bench_run(*file) for file in files])
    return sum(results, collections.Counter()), bench_run(f"+cycles={FEW}", "+unreset", *files[0])
