"""Selects the test targets to build and the tests to run. Pure functions of the manifest, the sources and the command line."""
import dataclasses
import difflib
import re

# The test runner's test identifier: Target.Suite/test.
SUITE = re.compile(r"\b(?:struct|class|enum|actor|extension) (`[^`\n]+`|[\w.]+)")
TEST = re.compile(r"\bfunc (`[^`\n]+`|\w+)")


class Unknown(Exception):
    """No module, suite or test has the name. The text lists similar names."""


@dataclasses.dataclass(frozen=True)
class Selection:
    targets: tuple
    filters: tuple = ()  # regular expressions of the test runner; empty: all tests of the targets


def identities(target, source):
    """Returns the possible identifiers of a source file's tests: each of its suites with each of its functions."""
    suites = [name.strip("`") for name in SUITE.findall(source)] or [""]
    tests = [name.strip("`") for name in TEST.findall(source)]
    return [f"{target}.{suite}/{test}()" for suite in suites for test in tests]


def of_module(name, targets):
    """Returns the test targets of a module: its own, or else those that depend on it."""
    if name in targets and targets[name].is_test:
        return {name}
    if f"{name}Tests" in targets:
        return {f"{name}Tests"}
    return {each.name for each in targets.values() if each.is_test and name in each.dependencies}


def select(words, targets, sources):
    """Returns the selection for the words. Each is a module or a regular expression over Target.Suite/test.

    `sources` maps the name of each test target to the texts of its files.
    """
    chosen, filters = set(), []
    for word in words:
        if word in targets:
            found = of_module(word, targets)
            if not found:
                raise Unknown(f"no test target imports {word}")
            filters += [rf"^{name}\." for name in sorted(found)]
        else:
            found = matching(word, sources)
            if not found:
                raise Unknown(unknown(word, targets, sources))
            filters.append(word)
        chosen |= found
    return Selection(tuple(sorted(chosen)), tuple(filters))


def matching(word, sources):
    try:
        pattern = re.compile(word)
    except re.error as error:
        raise Unknown(f"‘{word}’ is no regular expression: {error}") from None
    return {
        target for target, texts in sources.items()
        if any(pattern.search(identity) for text in texts for identity in identities(target, text))
    }


def suites_of(texts):
    """Returns the names of the suites that files declare, sorted."""
    return sorted({name.strip("`") for text in texts for name in re.findall(r"@Suite\b[^\n]*?\bstruct (`[^`\n]+`|\w+)", text)})


def unknown(word, targets, sources):
    suites = suites_of(text for texts in sources.values() for text in texts)
    lower = {suite.lower(): suite for suite in suites}
    near = [lower[each] for each in difflib.get_close_matches(word.lower(), lower, n=8, cutoff=0.4)]
    modules = sorted({each.name for each in targets.values() if of_module(each.name, targets)})
    lines = [f"no module, suite or test matches ‘{word}’. Modules:", "  " + " ".join(modules)]
    if near:
        lines += ["Suites with similar names:", *(f"  {suite}" for suite in near)]
    return "\n".join([*lines, f"`scripts/test --list` prints all {len(suites)} suites."])


def touched(paths, targets, sources):
    """Returns the targets of changed files. A Markdown page belongs to the test targets that name it."""
    found = set()
    for path in paths:
        if path == "Package.swift":
            return set(targets)
        owners = {each.name for each in targets.values() if path.startswith(each.folder + "/")}
        if path.startswith("Examples/"):
            owners = {"ExampleTests"} & set(targets)
        elif path.endswith(".md") and not path.startswith("Tests/"):
            owners = {name for name, texts in sources.items() if any(path in text for text in texts)}
        found |= owners
    return found
