# SPDX-License-Identifier: Apache-2.0
"""A minimal reader of SystemVerilog text: its code without comments, the ports of a module, and the label of a line."""
import functools
import re

STRING = r'"(?:\\.|[^"\\])*"'
COMMENT = re.compile(STRING + r"|//[^\n]*|/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"(//|/\*)\s*(synopsys|synthesis)\b")  # comments that Yosys obeys
BLANKS = re.compile(f"({STRING})|[ \\t]+")
HEADER = re.compile(r"\bmodule\s+(\w+)\b(.*?)\);", re.S)


def without_comments(text):
    """Replaces comments by blanks, so that lines and columns stay the same."""

    def replaced(found):
        kept = found.group().startswith('"') or DIRECTIVE.match(found.group())
        return found.group() if kept else re.sub(r"[^\n]", " ", found.group())

    return COMMENT.sub(replaced, text)


def code(text):
    """The tokens of each line, with one blank between those that are apart; a line that has none is empty."""
    lines_of_code = without_comments(text).splitlines()
    return "\n".join(BLANKS.sub(lambda m: m.group(1) or " ", line).strip() for line in lines_of_code)


@functools.lru_cache(maxsize=None)
def ports(path):
    """Names of the ports of the module in a file (one module a file)."""
    header = HEADER.search(without_comments(path.read_text()))
    if header is None:
        return frozenset()
    names = set()
    for line in header.group(2).splitlines():
        words = re.findall(r"\b(?:input|output|inout)\b(.*)", line)
        for rest in words:
            rest = re.sub(r"\[[^\]]*\]", " ", rest)
            names.update(re.findall(r"\b(\w+)\s*(?:,|$|\))", rest))
    return frozenset(names)


def outputs(path):
    """Names of the outputs, sorted."""
    header = HEADER.search(without_comments(path.read_text())).group(2)
    declared = [re.sub(r"\[[^\]]*\]", " ", rest) for rest in re.findall(r"\boutput\b(.*)", header)]
    return sorted(name for rest in declared for name in re.findall(r"\b(\w+)\s*(?:,|$|\))", rest))


@functools.lru_cache(maxsize=None)
def lines(path):
    return path.read_text().splitlines()


def line(path, number):
    text = lines(path)
    return text[number - 1].strip() if 0 < number <= len(text) else ""
