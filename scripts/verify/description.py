# SPDX-License-Identifier: Apache-2.0
"""A YAML file of the verification, read with the positions of its keys: one that is not known, or missing, is one line
that names file, line and column, what is wrong, and the nearest known one."""
import difflib

import yaml

import place


class Map(dict):
    """A mapping that knows where its keys stand."""
    path = None
    marks: dict


class Loader(yaml.SafeLoader):
    """Maps with marks."""


def construct(loader, node):
    loader.flatten_mapping(node)
    made = Map()
    made.marks = {key.value: key.start_mark for key, _ in node.value}
    made.start = node.start_mark
    yield made
    made.update(loader.construct_mapping(node, deep=True))


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, construct)


def read(path):
    """The contents of a file; an empty one is an empty mapping."""
    try:
        with open(path, encoding="utf-8") as text:
            return yaml.load(text, Loader) or Map()
    except OSError as error:
        raise place.Failed(f"{place.relative(path)}: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise place.Failed(f"{place.relative(path)}:{mark.line + 1}:{mark.column + 1}: {error.problem}") from error


def at(path, mark, text):
    return place.Failed(f"{place.relative(path)}:{mark.line + 1}:{mark.column + 1}: {text}")


def nearest(name, known, mark=""):
    """For a message about a name that is not known."""
    near = difflib.get_close_matches(str(name), known, 1)
    return f" (did you mean {mark}{near[0]}{mark}?)" if near else ""


def check(path, given, known, what, needed=()):
    """`given` is a mapping with known keys only, and with all that are needed."""
    if not isinstance(given, Map):
        raise place.Failed(f"{place.relative(path)}: {what} is a mapping of {', '.join(known)}")
    for key in given:
        if key not in known:
            near = nearest(key, known, "'")
            raise at(path, given.marks[str(key)], f"unknown key '{key}' for {what}{near}; known: {', '.join(known)}")
    for key in needed:
        if key not in given:
            raise at(path, given.start, f"{what} lacks '{key}'")
