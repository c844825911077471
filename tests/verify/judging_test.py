#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a row of the table must not pass for: a proof that does not hold, names that are given twice or that nothing has."""
import collections
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "verify"))

import assertions  # noqa: E402
import block  # noqa: E402
import bugs  # noqa: E402
import items  # noqa: E402
import place  # noqa: E402
import plan  # noqa: E402
import rows  # noqa: E402
import simulations  # noqa: E402


class OfNicRx(unittest.TestCase):
    def setUp(self):
        block.use("nic_rx")
        rows.proof_shows.cache_clear()
        rows.MADE.clear()
        assertions.all_of_rtl.cache_clear()

    def prove(self, status, told=""):
        """Stands for scripts/prove: it ends with `status` and has written `told`."""
        def run(command, **_):
            if "--told" in command:
                command[command.index("--told") + 1].write_text(told)
            return "", status
        return mock.patch.object(place, "run", run)


class ShownElsewhere(OfNicRx):
    def short(self, entry):
        return rows.shown_elsewhere("B4", entry, items.Options())

    def test_by_a_proof_that_holds(self):
        with self.prove(0):
            self.assertEqual(self.short({"proof": "search"}), [])

    def test_not_by_one_that_fails(self):
        with self.prove(1):
            self.assertEqual(self.short({"proof": "search"}), ["proof search does not hold"])

    def test_nor_by_one_that_there_is_not(self):
        with self.assertRaisesRegex(place.Failed, r"no proof 'serch' \(did you mean 'search'\?\)"):
            self.short({"proof": "serch"})

    def test_nor_by_a_row_that_the_block_has_not(self):
        with self.assertRaisesRegex(place.Failed, r"B4: no row 'proof' \(did you mean 'proofs'\?\)"):
            self.short({"row": "proof"})

    def test_nor_by_one_that_falls_short(self):
        with mock.patch.dict(rows.ITEMS, {"netlist": lambda _: [items.Row("netlist", "no X", "1 X", False)]}):
            self.assertEqual(self.short({"row": "netlist"}), ["row 'netlist' falls short"])

    def test_a_cover_point_that_the_proof_does_not_reach_is_not_covered(self):
        with self.prove(0, "B21_found_until_taken_C\n"):
            self.assertEqual(rows.covered_by_proof(), {"B21_found_until_taken_C"})


class Bugs(unittest.TestCase):
    def short(self, fired, failing, directed):
        return bugs.shortfall(bugs.Bug(1, "01", "It is wrong.", "actions", ["directed"], directed, []), fired, failing)

    def test_found_as_its_patch_says(self):
        self.assertEqual(self.short({"actions", "directed"}, ["a test", "another"], ["a test"]), "")

    def test_the_named_test_has_to_fail(self):
        self.assertEqual(self.short({"actions", "directed"}, ["another"], ["a test"]),
                         "01: the directed test 'a test' does not fail; those that do: another")

    def test_one_has_to_be_named(self):
        self.assertEqual(self.short({"actions", "directed"}, ["another"], []),
                         "01: names no directed test; those that fail: another")

    def test_other_checks_are_told(self):
        self.assertEqual(self.short({"actions", "ports"}, ["a test"], ["a test"]), "01: silent ['directed'], unexpected ['ports']")


class Names(OfNicRx):
    def test_a_name_is_given_once_in_each_block(self):
        for name in block.names():
            block.use(name)
            assertions.all_of_rtl.cache_clear()
            found = [a.name for a in assertions.all_of_rtl()]
            self.assertEqual(len(found), len(set(found)))

    def test_a_second_one_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.sv", "b.sv")]
            for file in files:
                file.write_text("module m;\n  `CF_ASSERT(B1_same, x)\nendmodule\n")
            with mock.patch.object(block.this(), "sources", files), self.assertRaisesRegex(
                    place.Failed, r"b\.sv:2: a second B1_same; the first is in a\.sv:2"):
                assertions.all_of_rtl()

    def test_each_check_of_the_plans_is_one_of_the_bench(self):
        for name in block.names():
            block.use(name)
            if block.this().item("plan") is None:
                continue
            known = plan.checks_of_bench()
            for feature in plan.read()["features"]:
                self.assertEqual(plan.matching(feature.get("checks", []), known)[1], [])

    def test_a_check_that_the_bench_has_not_is_an_error(self):
        made = {"features": [{"feature": "It works", "checks": ["actoins"], "cover": ["a"]}], "assertions": {}}
        with mock.patch.object(plan, "read", lambda: made):
            _, wrong = plan.judge({"a": 1}, {}, {}, set())
        self.assertEqual(wrong, ["It works: no check actoins (did you mean actions?)"])

    def test_a_tests_title_is_no_check(self):
        block.use("lane_reversal")
        known = plan.checks_of_bench()
        self.assertIn("case.turns", known)
        for name in ("thresholds", "turning", "window_end"):  # a title, and names of outputs
            self.assertNotIn(name, known)


class OfLanes(unittest.TestCase):
    """Rows of the lane-reversal block."""

    def setUp(self):
        self.block = block.use("lane_reversal")
        self.block.sample(seed=1, nightly=False)

    def run_of(self, set_name, folder="", points="", **totals):
        cover = pathlib.Path(folder) / f"{set_name}.cover"
        if folder:
            cover.write_text(points)
        return simulations.Result(set_name, "random", {"tests": 200, "failed": 0, **totals}, True, "", cover, cover)

    def test_a_register_that_keeps_its_value_over_a_reset_fails_the_netlist(self):
        reached = {"cycles": 4000, "turns": 1, "launches": 1, "reads": 1, "different": 1}
        with mock.patch.object(rows.x_check, "simulate", lambda *_: (collections.Counter(reached), {"unknown": 1})):
            row, = rows.netlist(items.Options())
            self.assertFalse(row.ok)
            self.assertIn("1 registers unlike those after the first reset", row.reached)
            del reached["different"]
            self.assertTrue(rows.netlist(items.Options())[0].ok)

    def test_only_sets_that_can_turn_a_lane_have_to(self):
        self.block.sets["one"] = {"LanesPerDirection": 1}
        with mock.patch.object(simulations, "directed", lambda _: []):
            for name, turns, good in (("one", 0, True), ("2x2", 0, False), ("2x2", 1, True)):
                with mock.patch.object(simulations, "random", lambda _, r=self.run_of(name, turns=turns, windows=1, accesses=1,
                                                                                      cycles=1): [r]):
                    self.assertEqual(rows.random(items.Options())[1].ok, good, (name, turns))

    def test_points_that_only_drawn_sets_have_are_not_demanded(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = [self.run_of("2x2", folder, "split.2.1 0\n"),
                    self.run_of("sampled1", folder, "split.2.1 3\nsplit.5.1 0\n")]
            self.assertEqual(dict(simulations.cover_counts(runs)), {"split.2.1": 3})

    def test_the_table_tells_the_bounds_of_the_proofs(self):
        with mock.patch.object(place, "run", lambda *_, **__: ("all hold", 0)):
            self.assertIn("totals of 4 bits", rows.proofs(items.Options())[0].item)


class Seed(unittest.TestCase):
    def test_each_night_has_its_own_unless_one_is_given(self):
        given = lambda nightly, seed: types.SimpleNamespace(nightly=nightly, seed=seed)  # noqa: E731
        with mock.patch.object(items.time, "strftime", lambda _: "20261130"):
            self.assertEqual(items.seed_of(given(True, None)), 20261130)
            self.assertEqual(items.seed_of(given(True, 7)), 7)
            self.assertEqual(items.seed_of(given(False, None)), 1)


if __name__ == "__main__":
    unittest.main()
