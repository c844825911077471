# SPDX-License-Identifier: Apache-2.0
"""Lint of the RTL by Verilator, with every warning on, for every parameter set."""
import re

import models
import place


def warnings():
    found, waivers = [], 0
    for path in place.rtl_sources() + sorted(place.COMMON.iterdir()):
        waivers += len(re.findall(r"lint_[o]ff", path.read_text()))
    for name, given in models.parameter_sets().items():
        command = ["verilator", "--lint-only", "--assert", "-Wall", "-Wno-fatal", "--top-module", place.TOP,
                   f"-I{place.COMMON}", "-y", place.COMMON]
        command += [f"-G{models.PARAMETERS[key]}={value}" for key, value in given.items()] + place.rtl_sources()
        said, status = place.run(command, check=False)
        found += [f"{name}: {line}" for line in said.splitlines() if line.startswith(("%Warning", "%Error"))]
        if status != 0 and not found:
            found.append(f"{name}: {said.strip()[-200:]}")
    return found, waivers
