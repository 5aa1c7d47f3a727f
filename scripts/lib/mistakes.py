#!/usr/bin/env python3
"""Deliberate mistakes for the shipping service, as edits of its sources.

  mistakes.py --check         whether every edit fits the sources
  mistakes.py --list          the names
  mistakes.py --copy FOLDER   makes a copy of the package with the edits; unchanged files keep their times

Tests/Testing/FerrySimulation/mistakes.txt has the mistakes. A mistake is a heading `# name`, a sentence, and edits: `@ file`, the lines to
replace after `<`, and the new lines after `>`. Leading spaces do not count, and the lines must occur once. In new lines, `mistake`
is true while the mistake of the heading is made, and `mistake(name)` while another one is. All mistakes are in one build, and the
environment variable FERRY_MISTAKE names the one to make.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The modules whose names the edits of a module use.
IMPORTED = {
    "FerryService": ("FerryCore", "FerryEngine", "FerryQueue", "FerryRules"),
    "FerryQueue": ("FerryCore", "FerryRules"),
    "FerryRules": ("FerryCore",),
}
FILE = ROOT / "Tests/Testing/FerrySimulation/mistakes.txt"

SWITCH = """import Foundation

/// The deliberate mistake that this process makes.
package enum Mistakes {
    private static let made = ProcessInfo.processInfo.environment["FERRY_MISTAKE"] ?? ""

    package static func isMade(_ name: String) -> Bool { made == name }
}
"""


class Edit:
    def __init__(self, name, path, line):
        self.name, self.path, self.line, self.old, self.new = name, path, line, [], []


def read():
    """Returns the names and the edits."""
    names, edits = [], []
    for number, line in enumerate(FILE.read_text().splitlines(), 1):
        if line.startswith("# "):
            names.append(line[2:].strip())
        elif line.startswith("@ "):
            edits.append(Edit(names[-1], line[2:].strip(), number))
        elif line.startswith("<"):
            edits[-1].old.append(line[1:].strip())
        elif line.startswith(">"):
            edits[-1].new.append(line[2:])
    return names, edits


def place(edit, lines, root):
    """Returns the first line of an edit in a file."""
    stripped = [line.strip() for line in lines]
    count = len(edit.old)
    found = [at for at in range(len(lines) - count + 1) if stripped[at : at + count] == edit.old]
    if len(found) != 1:
        sys.exit(
            f"{FILE.name}:{edit.line}: the lines of the mistake {edit.name} occur {len(found)} times in {edit.path};"
            " adapt the mistake to the changed code")
    return found[0]


def switched(edit, names):
    """Returns the new lines with the switches of mistakes."""
    lines = []
    for line in edit.new:
        for name in re.findall(r"\bmistake\((\w+)\)", line):
            if name not in names:
                sys.exit(f"{FILE.name}:{edit.line}: there is no mistake {name}")
        line = re.sub(r"\bmistake\((\w+)\)", r'Mistakes.isMade("\1")', line)
        lines.append(re.sub(r"\bmistake\b", f'Mistakes.isMade("{edit.name}")', line))
    return lines


def edited(root):
    """Returns the edited files of a copy of the package."""
    names, edits = read()
    files = {}
    for edit in edits:
        path = root / edit.path
        if path not in files:
            files[path] = (path.read_text().splitlines(), [])
        files[path][1].append(edit)
    result = {}
    for path, (lines, some) in files.items():
        # From the end, so that the places stay the same.
        placed = sorted(((place(edit, lines, root), edit) for edit in some), key=lambda pair: pair[0], reverse=True)
        for (at, edit), (following, other) in zip(placed[1:], placed):
            if at + len(edit.old) > following:
                sys.exit(f"{FILE.name}:{edit.line}: the mistakes {edit.name} and {other.name} change the same lines")
        for at, edit in placed:
            indent = re.match(r" *", lines[at]).group()
            lines[at : at + len(edit.old)] = [indent + line for line in switched(edit, names)]
        own = next(part for part in path.parts if part.startswith("Ferry"))
        for module in IMPORTED.get(own, ()):
            if not any(re.match(rf"(package )?import {module}$", line) for line in lines):
                lines.insert(0, f"import {module}")
        result[path] = "\n".join(lines) + "\n"
    return result


def copy(root):
    """Writes the files that differ, so that little is built again."""
    files = {ROOT / "Package.swift": None}
    for folder in ("Sources", "Tests/Testing/CTaskHooks", "Tests/Testing/FerrySimulation", "Tests/Testing/FerrySimulator"):
        files.update((path, None) for path in (ROOT / folder).rglob("*") if path.is_file())
    for path in files:
        files[path] = path.read_bytes()
    for path, text in edited(ROOT).items():
        files[path] = text.encode()
    files[ROOT / "Sources/Model/FerryCore/Mistakes.swift"] = SWITCH.encode()
    wanted = {root / path.relative_to(ROOT): text for path, text in files.items()}
    for path in list(root.rglob("*")):
        if path.is_file() and path not in wanted and ".build" not in path.parts and path.name != "Package.resolved":
            path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(read()[0]))
    elif arguments == ["--check"]:
        edited(ROOT)
    elif len(arguments) == 2 and arguments[0] == "--copy":
        copy(pathlib.Path(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
