#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The digest that ties the list of equivalent mutants to the RTL and to the proofs."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "verify"))

import block  # noqa: E402
import equivalence  # noqa: E402
import place  # noqa: E402
import sv_text  # noqa: E402

BLOCK = block.use("lane_reversal")
TURN = BLOCK.source_of("cf_lane_turn")
PROOFS = BLOCK.file("formal/proofs.yaml")


def digest(change=lambda path, text: text):
    return equivalence.digest_of("some Yosys", lambda path: change(path, path.read_text()))


def replaced(changed, old, new):
    """The digest if one text of one file were another."""
    assert old in changed.read_text(), f"{changed} has no {old!r}"
    return digest(lambda path, text: text.replace(old, new, 1) if path == changed else text)


class OfRtlAndProofs(unittest.TestCase):
    def test_is_the_same_when_words_of_comments_change(self):
        for path in (TURN, place.COMMON / "cf_assert.svh"):
            self.assertEqual(digest(), replaced(path, "// ", "// Other words. "))
        self.assertEqual(digest(), replaced(PROOFS, "# ", "# Other words. "))

    def test_is_the_same_when_a_line_gets_a_comment(self):
        self.assertEqual(digest(), replaced(TURN, "endmodule", "endmodule  // cf_lane_turn"))
        self.assertEqual(digest(), replaced(PROOFS, "top: lane_helpers_proof", "top: lane_helpers_proof  # no state"))

    def test_changes_with_a_token(self):
        self.assertNotEqual(digest(), replaced(TURN, "last_cycle = ", "last_cycle = !"))
        self.assertNotEqual(digest(), replaced(TURN, "endmodule", ""))
        self.assertNotEqual(digest(), replaced(place.COMMON / "cf_assert.svh", "assert (", "assume ("))
        self.assertNotEqual(digest(), replaced(PROOFS, "depth: 1}", "depth: 2}"))
        self.assertNotEqual(digest(), replaced(place.ROOT / "scripts" / "verify" / "mutating.py", "BATCHES = 4", "BATCHES = 5"))

    def test_changes_with_a_line(self):
        self.assertNotEqual(digest(), replaced(TURN, "endmodule", "\nendmodule"))
        self.assertNotEqual(digest(), replaced(TURN, "endmodule", "// one comment more\nendmodule"))

    def test_changes_with_the_version_of_yosys(self):
        self.assertNotEqual(digest(), equivalence.digest_of("another Yosys", pathlib.Path.read_text))


class Code(unittest.TestCase):
    def test_leaves_out_comments_and_keeps_lines(self):
        self.assertEqual("a\n\nb c", sv_text.code("a // x\n/* y\n z */ b  /* w */ c"))

    def test_keeps_strings_whole(self):
        self.assertEqual('f("a  // b", c)', sv_text.code('  f("a  // b",   c) // "d'))
        self.assertEqual(r'f("\"  /*", c)', sv_text.code(r'f("\"  /*", c) /* */'))

    def test_keeps_the_blank_between_two_tokens(self):
        self.assertNotEqual(sv_text.code("a b"), sv_text.code("ab"))
        self.assertEqual("a b", sv_text.code("a/* x */b"))

    def test_keeps_comments_that_yosys_obeys(self):
        self.assertEqual("a // synopsys translate_off", sv_text.code("a  // synopsys translate_off"))


if __name__ == "__main__":
    unittest.main()
