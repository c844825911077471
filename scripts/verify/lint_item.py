# SPDX-License-Identifier: Apache-2.0
"""Lint of the RTL by Verilator, with every warning on, for every parameter set, and for the ends of the sampled ranges."""
import re

import block
import place


def sets():
    return block.this().sets | block.this().extremes()


def warnings():
    found, waivers = [], 0
    this = block.this()
    for path in this.sources + this.headers:
        waivers += len(re.findall(r"lint_[o]ff", path.read_text()))
    for set_name, given in sets().items():
        command = ["verilator", "--lint-only", "--assert", "-Wall", "-Wno-fatal", "--top-module", this.top,
                   *(f"-I{i}" for i in this.includes), "-y", place.COMMON]
        command += [f"-G{name}={value}" for name, value in given.items()] + this.own_sources + this.bound
        said, status = place.run(command, check=False)
        found += [f"{set_name}: {line}" for line in said.splitlines() if line.startswith(("%Warning", "%Error"))]
        if status != 0 and not found:
            found.append(f"{set_name}: {said.strip()[-200:]}")
    return found, waivers
