#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The file list for FuseSoC names what tb/BLOCK/block.yaml verifies: the same sources, packages first, the same top and
parameters."""
import pathlib
import sys
import unittest

import yaml

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "verify"))

import block  # noqa: E402
import place  # noqa: E402

RTL = place.ROOT / "rtl"


def core(name):
    return yaml.safe_load((RTL / name / f"{name}.core").read_text())


def files(name):
    """(sources, include files) of a core's file list, as paths."""
    listed = core(name)["filesets"]["rtl"]["files"]
    included = [RTL / name / next(iter(f)) for f in listed if isinstance(f, dict) and next(iter(f.values())).get("is_include_file")]
    return [RTL / name / f for f in listed if isinstance(f, str)], included


class LaneReversal(unittest.TestCase):
    def setUp(self):
        self.block = block.use("lane_reversal")
        self.core = core("lane_reversal")

    def test_the_sources_are_those_that_are_verified(self):
        own, included = files("lane_reversal")
        common, macros = files("common")
        self.assertEqual(self.core["filesets"]["rtl"]["depend"], [core("common")["name"].rpartition(":")[0]])
        self.assertEqual(own, self.block.own_sources)
        self.assertEqual(sorted(own + common), sorted(self.block.sources))
        self.assertEqual(sorted(included + macros), self.block.headers)

    def test_the_top_and_its_parameters_are_the_block_s(self):
        target = self.core["targets"]["default"]
        self.assertEqual(target["toplevel"], self.block.top)
        self.assertEqual({name: p["default"] for name, p in self.core["parameters"].items()}, self.block.defaults)
        self.assertEqual(target["parameters"], list(self.block.defaults))


if __name__ == "__main__":
    unittest.main()
