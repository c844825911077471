#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What describes a block: every shipped one is read, and what is wrong in one is named with its place."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "verify"))

import block  # noqa: E402
import models  # noqa: E402
import place  # noqa: E402
import simulations  # noqa: E402

GOOD = """title: Nothing
top: cf_nothing
sources: [rtl/common]
clock: clk_i
reset: rst_ni
sets:
  usual: {Width: 1}
usual: usual
items:
  lint:
"""


class Shipped(unittest.TestCase):
    def test_each_can_be_chosen_and_has_the_parameters_that_it_sets(self):
        self.assertIn("lane_reversal", block.names())
        for name in block.names():
            this = block.use(name)
            this.check_parameters()
            self.assertEqual(this.top, f"cf_{name}")
            self.assertEqual(this.source_of(this.top).parent.name, name)

    def test_packages_are_read_first(self):
        for name in block.names():
            packages = [f.name.endswith("_pkg.sv") for f in block.use(name).sources]
            self.assertEqual(packages, sorted(packages, reverse=True))

    def test_defaults_are_those_of_the_rtl(self):
        defaults = block.use("lane_reversal").defaults
        self.assertEqual((defaults["LanesPerDirection"], defaults["SwitchTime"]), (8, 100))

    def test_an_unknown_one_is_refused_with_the_nearest(self):
        with self.assertRaisesRegex(place.Failed, r"no block 'lane_revesal' \(did you mean 'lane_reversal'\?\); there are: "):
            block.use("lane_revesal")


class CommandLine(unittest.TestCase):
    def test_an_unknown_item_is_one_line_with_the_nearest(self):
        ran = subprocess.run([sys.executable, place.ROOT / "scripts/verify/verify.py", "fifo", "--only", "lnt"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("no item 'lnt' (did you mean 'lint'?); there are lint, ", ran.stderr)
        self.assertEqual((ran.stderr.count("\n"), ran.stdout), (1, ""))


class Counted(unittest.TestCase):
    """Which build counts toggles: that of the usual set, or at night one of its own."""

    def test_a_build_of_its_own_where_they_are_counted_at_night_only(self):
        block.use("nic_rx")
        models.begin(nightly=True)
        self.assertEqual(models.of_toggles(), "usual_toggles")
        usual, toggles = models.named("usual"), models.named("usual_toggles")
        self.assertEqual((usual.coverage, usual.toggles), (True, False))
        self.assertEqual((toggles.set_name, toggles.coverage, toggles.toggles), ("usual", True, True))
        self.assertFalse(models.counts_coverage("smallest"))
        self.assertEqual(models.with_waves("usual_toggles"), models.with_waves("usual"))

    def test_none_in_minutes(self):
        block.use("nic_rx")
        models.begin(nightly=False)
        self.assertIsNone(models.of_toggles())
        self.assertFalse(models.named("usual").toggles)

    def test_the_usual_one_elsewhere(self):
        block.use("fifo")
        models.begin(nightly=False)
        self.assertIsNone(models.of_toggles())
        self.assertTrue(models.named("8x4").toggles)


class Failing(unittest.TestCase):
    """A run of the bench that fails."""

    def test_its_failing_tests_run_again_with_waves(self):
        block.use("fifo")
        models.begin(nightly=False)
        calls = []

        def ran(command, **_):
            calls.append([str(word) for word in command])
            return "  again: bench_8x4 directed --test 'full and empty'\ntotals: tests 9 failed 1\n", 1

        with mock.patch.object(place, "run", ran), mock.patch.object(models, "build_program", lambda build: build.name):
            result = simulations.run.__wrapped__("8x4", "directed")
        self.assertFalse(result.ok)
        self.assertEqual(calls[1][:5], [models.with_waves("8x4").name, "directed", "--test", "full and empty", "--wave"])
        self.assertIn(f"  wave: {calls[1][5]}", result.output)


class InFolder(unittest.TestCase):
    """A block in a folder of its own."""

    def setUp(self):
        (place.ROOT / "build").mkdir(exist_ok=True)
        self.folder = tempfile.TemporaryDirectory(dir=place.ROOT / "build")
        self.addCleanup(self.folder.cleanup)
        old, block.TB = block.TB, pathlib.Path(self.folder.name)
        self.addCleanup(lambda: setattr(block, "TB", old))


class Written(InFolder):
    """What is wrong in the description of a block."""

    def message(self, text):
        to = block.TB / "nothing" / "block.yaml"
        to.parent.mkdir(exist_ok=True)
        to.write_text(text)
        try:
            block.use("nothing").check_parameters()
        except place.Failed as failed:
            return str(failed)
        return ""

    def test_unknown_keys_are_named_with_their_place(self):
        self.assertIn("block.yaml:4:1: unknown key 'clok' for a block (did you mean 'clock'?)",
                      self.message(GOOD.replace("clock:", "clok:")))
        self.assertIn("block.yaml:10:3: unknown key 'lin' for items (did you mean 'lint'?)",
                      self.message(GOOD.replace("  lint", "  lin")))
        self.assertIn("block.yaml:11:12: unknown key 'seds' for item random (did you mean 'seeds'?)",
                      self.message(GOOD + "  random: {seds: [1, 2]}\n"))

    def test_macros_are_of_sets_that_there_are(self):
        self.assertIn("block.yaml:12:13: defines: no set 'usal'; there are usual",
                      self.message(GOOD + "bench:\n  defines: {usal: [FAST]}\n"))

    def test_missing_keys_are_named(self):
        self.assertIn("block.yaml:1:1: a block lacks 'reset'", self.message(GOOD.replace("reset: rst_ni\n", "")))

    def test_the_usual_set_has_to_be_one(self):
        self.assertIn("usual is 'other', not one of usual", self.message(GOOD.replace("usual: usual", "usual: other")))

    def test_text_that_is_no_yaml_is_named_with_its_place(self):
        self.assertIn("block.yaml:2:", self.message("title: [\n"))

    def test_sources_have_to_be_there(self):
        self.assertIn("block.yaml: no SystemVerilog in rtl/commn", self.message(GOOD.replace("rtl/common", "rtl/commn")))


SAMPLED = GOOD + """sampled:
  number: [20, 200]
  from: {Few: [1, 2, 3], Many: [1, 2, 3]}
  where: [Few < Many]
"""


class Sampled(InFolder):
    """Sets that are drawn from the seed."""

    def sampled(self, text):
        to = block.TB / "nothing" / "block.yaml"
        to.parent.mkdir(exist_ok=True)
        to.write_text(text)
        this = block.use("nothing")
        this.defaults = {"Width": 4, "Few": 1, "Many": 1}
        return this

    def test_each_meets_the_conditions_and_every_legal_value_is_drawn(self):
        this = self.sampled(SAMPLED)
        this.sample(seed=1, nightly=True)
        sets = [tuple(this.sets[name].values()) for name in this.drawn]
        self.assertEqual(len(sets), 200)
        self.assertEqual(set(sets), {(1, 2), (1, 3), (2, 3)})

    def test_the_same_seed_draws_the_same_ones(self):
        first, again, other = (self.sampled(SAMPLED) for _ in range(3))
        first.sample(seed=1, nightly=False)
        again.sample(seed=1, nightly=False)
        other.sample(seed=2, nightly=False)
        self.assertEqual(first.sets, again.sets)
        self.assertNotEqual(first.sets, other.sets)

    def test_ends_that_are_not_legal_are_left_out(self):
        self.assertEqual(self.sampled(SAMPLED).extremes(), {})
        self.assertEqual(self.sampled(SAMPLED.replace("<", "<=")).extremes(),
                         {"min": {"Few": 1, "Many": 1}, "max": {"Few": 3, "Many": 3}})

    def test_conditions_that_none_meets_are_named_with_their_place(self):
        with self.assertRaisesRegex(place.Failed, "block.yaml:14:3: no set of 10000 meets all conditions"):
            self.sampled(SAMPLED.replace("<", ">").replace("Many: [1, 2, 3]", "Many: [4]")).sample(seed=1, nightly=False)

    def test_a_condition_of_an_unknown_parameter_is_named(self):
        with self.assertRaisesRegex(place.Failed, "'Few < Mny' is no condition of parameters: name 'Mny' is not defined"):
            self.sampled(SAMPLED.replace("Few < Many", "Few < Mny")).sample(seed=1, nightly=False)

    def test_what_a_run_needs_may_depend_on_the_set(self):
        this = self.sampled(GOOD + "  random: {seeds: [1, 1], compared: [words], needed: {words: Width > 1}}\n")
        this.sets["wide"] = {"Width": 2}
        self.assertEqual((this.needed_of("random", "usual"), this.needed_of("random", "wide")), ([], ["words"]))
        listed = self.sampled(GOOD + "  random: {seeds: [1, 1], compared: [words], needed: [words]}\n")
        self.assertEqual(listed.needed_of("random", "usual"), ["words"])


if __name__ == "__main__":
    unittest.main()
