# SPDX-License-Identifier: Apache-2.0
"""The block, Verilated: one build for each parameter set, one that counts code coverage, and those with mutants or
planted bugs. Each is linked with the bench into a program of its own."""
import collections
import dataclasses
import re
import threading

import yaml

import compiling
import place

PARAMETERS = {"lanes_per_direction": "LanesPerDirection", "sample_time": "SampleTime", "switch_time": "SwitchTime",
              "drain": "Drain", "sync_latency": "SyncLatency", "min_lanes": "MinLanes", "time_width": "TimeWidth",
              "path_width": "PathWidth"}
RESET = ["sample_time", "switch_time", "drain", "min_lanes"]


def parameter_sets():
    return yaml.safe_load((place.CHECK / "parameter_sets.yaml").read_text())["sets"]


def parameters_of(name):
    """For a parameter set, or for the one from which mutants are made."""
    everything = yaml.safe_load((place.CHECK / "parameter_sets.yaml").read_text())
    return everything["mutation"] if name == "mutation" else everything["sets"][name]


@dataclasses.dataclass
class Build:
    name: str
    set_name: str = "2x8"
    sources: list = None  # the block's own unless named
    flags: list = dataclasses.field(default_factory=list)  # Verilator's
    optimise: str = "-O0"
    assertions: bool = True
    coverage: bool = False
    select: str = ""  # the input that chooses a mutant or bug
    parameterised: bool = True
    own_sources_only: bool = False  # `sources` hold what the blocks share, too

    @property
    def folder(self):
        return place.OUT / "models" / self.name

    @property
    def program(self):
        return place.OUT / "bin" / f"bench_{self.name}"


def internals():
    """Verilator counts toggles of every signal. Toggles of signals that are no ports would only cost time: they are
    turned off, by the lines of their declarations."""
    lines = ["`verilator_config"]
    for path in place.rtl_sources() + sorted(place.COMMON.glob("*.sv")):
        body = False
        for number, text in enumerate(path.read_text().splitlines(), 1):
            body = body or text.startswith(");")
            if body and re.match(r"\s*(logic|cf_\w+::\w+)\b", text):
                lines.append(f'coverage_off -file "*/{path.name}" -lines {number}')
    return "\n".join(lines) + "\n"


def verilate(build):
    """Writes the C++ of a build, unless it is there; the name of the file that includes all of it."""
    sources = build.sources or place.rtl_sources()
    given = parameters_of(build.set_name)
    command = ["verilator", "--cc", "-Wall", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--top-module", place.TOP,
               "--prefix", "Vblock", "-Mdir", build.folder, f"-I{place.COMMON}"]
    command += [] if build.own_sources_only else ["-y", place.COMMON]
    command += ["--assert"] if build.assertions else ["-DSYNTHESIS"]
    if build.parameterised:
        command += [f"-G{PARAMETERS[key]}={value}" for key, value in given.items()]
    inputs = list(sources) + sorted(place.COMMON.iterdir())
    if build.coverage:
        build.folder.mkdir(parents=True, exist_ok=True)
        config = build.folder / "internals.vlt"
        config.write_text(internals())
        # If it were split, the lines of a combinational block would be counted only once, apart from its computation.
        command += ["--coverage", "-fno-split", config]
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


LOCKS = collections.defaultdict(threading.Lock)


def build_program(build):
    """The up-to-date program of a build. A second caller waits."""
    with LOCKS[build.name]:
        return up_to_date(build)


def up_to_date(build):
    unity = verilate(build)
    verilated = sorted(build.folder.glob("Vblock*"))
    given = parameters_of(build.set_name)
    coverage = f"-DVM_COVERAGE={int(build.coverage)}"
    model = compiling.compile_file(unity, build.folder / "model.o",
                                   ["-std=c++20", build.optimise, "-DVL_USER_STOP", coverage, "-isystem", compiling.RUNTIME, "-isystem",
                                    compiling.RUNTIME / "vltstd",
                                    f"-I{build.folder}", "-x", "c++"], verilated)
    flags = compiling.COMMON + ["-O2", coverage, f"-I{build.folder}", "-DCF_MODEL=Vblock", '-DCF_MODEL_HEADER="Vblock.h"',
                                f"-DCF_LANES={given['lanes_per_direction']}"]
    flags += [f"-DCF_RESET_{key.upper()}={given[key]}" for key in RESET if key in given]
    flags += [f"-DCF_{key.upper()}={given[key]}" for key in ("time_width", "path_width") if key in given]
    if build.select:
        inside = build.folder / "inside.h"
        inside.write_text("".join(f'#include "{h.name}"\n' for h in verilated if re.search(r"root\.h|_pkg\.h", h.name)))
        flags += [f"-DCF_SELECT={build.select}", '-DCF_MODEL_ROOT_HEADER="inside.h"']
    wrapper = compiling.compile_file(place.CHECK / "bench" / "verilated_block.cpp", build.folder / "wrapper.o",
                                     flags + [f'-DCF_SET_NAME="{build.set_name}"'], verilated)
    objects = compiling.bench_objects()
    value = place.digest(*sorted(str(o) + o.with_suffix(".stamp").read_text() for o in objects + [model, wrapper]))
    stamp = build.folder / "linked.stamp"
    if not (build.program.exists() and place.is_current(stamp, value)):
        build.program.parent.mkdir(parents=True, exist_ok=True)
        place.run(["g++", "-o", build.program, wrapper, model] + objects + ["-lfmt", "-pthread", "-latomic"])
        stamp.write_text(value)
    return build.program


def of_set(name):
    return Build(name, set_name=name)


def fast():
    """For long runs only, because the optimised build takes minutes to compile."""
    return Build("fast", optimise="-O2")


def named(name):
    return {"coverage": with_coverage, "fast": fast}.get(name, lambda: of_set(name))()


def with_coverage():
    return Build("coverage", coverage=True, optimise="-O1")


def build_all():
    """Builds every program of the unchanged block in parallel."""
    compiling.bench_objects()
    builds = [with_coverage()] + [of_set(name) for name in parameter_sets()]
    compiling.in_parallel([lambda build=build: build_program(build) for build in builds])
