# SPDX-License-Identifier: Apache-2.0
"""The block, Verilated: one build for each parameter set, of which the usual one counts code coverage; one that counts
toggles, if that is done at night only; and those with mutants or planted bugs. Each is linked with the bench into a program of its own."""
import collections
import dataclasses
import re
import threading

import block
import compiling
import place

@dataclasses.dataclass
class Build:
    """One build of the block."""
    name: str
    set_name: str
    sources: list = None  # the block's own unless named
    flags: list = dataclasses.field(default_factory=list)  # Verilator's
    optimise: str = "-O0"
    assertions: bool = True
    coverage: bool = False  # lines, branches and cover statements are counted
    toggles: bool = False  # of ports, too
    contents: str = "fast"  # of registers and memories before a reset, and of what is x: 0, or "unique": drawn from a seed
    waves: str = ""  # "fst": of all signals; "vcd": of the block's ports; none if empty
    select: str = ""  # the variable that chooses a mutant or bug
    parameterised: bool = True
    own_sources_only: bool = False  # `sources` hold what the blocks share, too
    top: str = ""  # the module that is built; if empty, the bench's

    @property
    def given(self):
        return block.this().parameters(self.set_name)

    @property
    def folder(self):
        return block.this().out / "models" / self.name

    @property
    def program(self):
        return block.this().out / "bin" / f"bench_{self.name}"


def internals():
    """Verilator counts toggles of every signal. Toggles of signals that are no ports of the hardware would only cost
    time: they are turned off, by the lines of their declarations."""
    this = block.this()
    lines = ["`verilator_config"]
    outside = this.bench_sources + this.bound
    for path in this.sources + outside:
        counted = path.stem not in this.not_hardware and path not in outside
        for number, text in enumerate(path.read_text().splitlines(), 1):
            counted = counted and not text.startswith(");")
            if not counted and re.match(r"\s*(input|output|logic|cf_\w+::\w+)\b", text):
                lines.append(f'coverage_off -file "*/{path.name}" -lines {number}')
    return "\n".join(lines) + "\n"


TRACES = {"": [], "fst": ["--trace-fst", "--trace-structs"], "vcd": ["--trace"]}


def verilate(build):
    """Writes the C++ of a build, unless it is there; the name of the file that includes all of it."""
    this = block.this()
    sources = (build.sources or this.own_sources + this.bench_sources) + (this.bound if build.assertions else [])
    command = ["verilator", "--cc", "-Wall", "-O3", "--x-assign", build.contents, "--x-initial",
               build.contents, "--top-module", build.top or this.bench_top,
               "--prefix", "Vblock", "-Mdir", build.folder, *(f"-I{i}" for i in this.includes)]
    command += [] if build.own_sources_only else ["-y", place.COMMON]
    command += ["--assert"] if build.assertions else ["-DSYNTHESIS"]
    command += [f"-D{name}" for name in this.defines.get(build.set_name, [])]
    if build.parameterised:
        command += [f"-G{name}={value}" for name, value in build.given.items()]
    inputs = list(sources) + this.sources + this.headers
    command += TRACES[build.waves]
    if build.waves == "vcd":
        command += ["--trace-depth", 1 + (this.bench_top != this.top)]
    if build.coverage:
        build.folder.mkdir(parents=True, exist_ok=True)
        config = build.folder / "internals.vlt"
        config.write_text(internals())
        # If it were split, the lines of a combinational block would be counted only once, apart from its computation.
        command += ["--coverage-line", "--coverage-user", "-fno-split"]
        if build.toggles:
            command += ["--coverage-toggle", config]
            inputs.append(config)
    command += build.flags + [str(s) for s in sources]
    unity = build.folder / "unity.cc"
    stamp = build.folder / "verilated.stamp"
    value = place.digest(*[str(c) for c in command], *inputs)
    if not (unity.exists() and place.is_current(stamp, value)):
        stamp.unlink(missing_ok=True)  # from here on the old output is not current
        for old in build.folder.glob("Vblock*"):
            old.unlink()
        build.folder.mkdir(parents=True, exist_ok=True)
        place.run(command, log=build.folder / "verilator.log")
        parts = sorted(p.name for p in build.folder.glob("Vblock*.cpp"))
        unity.write_text("".join(f'#include "{p}"\n' for p in parts))
        stamp.write_text(value)
    return unity


LARGE = 4 << 20  # bytes of C++ from which g++ takes many minutes to optimise it


def optimisation(build, verilated):
    """How g++ compiles a build: code that counts toggles of many ports is too large to be optimised."""
    size = sum(f.stat().st_size for f in verilated if f.suffix == ".cpp")
    return "-O0" if build.coverage and size > LARGE else build.optimise


LOCKS = collections.defaultdict(threading.Lock)


def build_program(build):
    """The up-to-date program of a build. A second caller waits."""
    with LOCKS[build.name]:
        return up_to_date(build)


def up_to_date(build):
    unity = verilate(build)
    verilated = sorted(build.folder.glob("Vblock*"))
    kind = [f"-DVM_COVERAGE={int(build.coverage)}", f"-DVM_TRACE={int(bool(build.waves))}",
            f"-DVM_TRACE_FST={int(build.waves == 'fst')}", f"-DVM_TRACE_VCD={int(build.waves == 'vcd')}"]
    model = compiling.compile_file(unity, build.folder / "model.o",
                                   ["-std=c++20", optimisation(build, verilated), "-DVL_USER_STOP", *kind, "-isystem", compiling.RUNTIME,
                                    "-isystem", compiling.RUNTIME / "vltstd", f"-I{build.folder}", "-x", "c++"], verilated)
    flags = compiling.common() + ["-O2", *kind, f"-I{build.folder}", "-DCF_MODEL=Vblock", '-DCF_MODEL_HEADER="Vblock.h"']
    flags += [f"-D{block.macro_name(name)}={value}" for name, value in {**block.this().defaults, **build.given}.items()]
    if build.select:
        inside = build.folder / "inside.h"
        inside.write_text("".join(f'#include "{h.name}"\n' for h in verilated if re.search(r"root\.h|_pkg\.h", h.name)))
        root = build.folder / "Vblock___024root.h"
        inside_a_module = re.search(rf"\b\w+__DOT__{build.select}\b", root.read_text())
        flags += [f"-DCF_SELECT={inside_a_module.group() if inside_a_module else build.select}", '-DCF_MODEL_ROOT_HEADER="inside.h"']
    wrapper = compiling.compile_file(block.this().wrapper, build.folder / "wrapper.o",
                                     flags + [f'-DCF_SET_NAME="{build.set_name}"'], verilated)
    objects = compiling.bench_objects() + (compiling.wave_objects(build.waves) if build.waves else [])
    value = place.digest(*sorted(str(o) + o.with_suffix(".stamp").read_text() for o in objects + [model, wrapper]))
    stamp = build.folder / "linked.stamp"
    if not (build.program.exists() and place.is_current(stamp, value)):
        build.program.parent.mkdir(parents=True, exist_ok=True)
        place.run(["g++", "-o", build.program, wrapper, model] + objects + block.this().links
                  + (["-lz"] if build.waves == "fst" else []) + ["-lfmt", "-pthread", "-latomic"])
        stamp.write_text(value)
    return build.program


COUNTED = [False, False]  # whether this run counts coverage, and whether toggles, too: see begin()


def begin(nightly):
    """Chooses what is counted in this run."""
    item = block.this().item("coverage")
    COUNTED[:] = [item is not None, item is not None and (nightly or not item.get("toggles_nightly"))]


def of_toggles():
    """The build that counts toggles where they are counted at night only; None if there is none. Counting those of a
    large block takes ten times as long, so most tests run without."""
    apart = COUNTED[1] and block.this().item("coverage").get("toggles_nightly")
    return f"{block.this().usual}_toggles" if apart else None


def counts_coverage(name):
    return COUNTED[0] and name in (block.this().usual, of_toggles())


def named(name):
    """The build of a parameter set, which begins with unknown contents; that of the usual one has counters of coverage. fast:
    for long runs only, because the optimised build takes minutes to compile."""
    if name == "fast":
        return Build("fast", block.this().usual, optimise="-O2")
    if counts_coverage(name):
        toggles = COUNTED[1] and of_toggles() in (None, name)
        return Build(name, block.this().usual, contents="unique", coverage=True, toggles=toggles, optimise="-O1")
    return Build(name, name, contents="unique")


def with_waves(name):
    """The same build, with waves of all signals."""
    build = named(name)
    return dataclasses.replace(build, name=f"{build.set_name}_waves", coverage=False, toggles=False, waves="fst", optimise="-O0")


def with_ports(name):
    """The same build, with waves of the block's ports alone."""
    build = named(name)
    return dataclasses.replace(build, name=f"{build.name}_ports", coverage=False, toggles=False, waves="vcd", optimise="-O0")


def build_all():
    """Builds every program of the unchanged block in parallel."""
    compiling.bench_objects()
    builds = [named(name) for name in [*block.this().sets, of_toggles()] if name]
    compiling.in_parallel([lambda build=build: build_program(build) for build in builds])
