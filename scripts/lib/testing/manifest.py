"""Parses the targets of Package.swift as text."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    is_test: bool
    folder: str  # relative to the package; of a target without a path in the manifest, that of its name
    dependencies: tuple  # names of targets and of other packages' products


def folder_of(name):
    """Returns the folder of a target, which is two levels below the package: Sources/Model/FerryCore."""
    found = [path for part in ("Sources", "Tests") for path in (ROOT / part).glob(f"*/{name}")]
    return str(found[0].relative_to(ROOT)) if found else f"Sources/{name}"


def read(text):
    """Returns the targets of a manifest, by name."""
    found = {}
    parts = re.split(r"\.(target|executableTarget|testTarget)\(", text)[1:]
    for kind, target in zip(parts[::2], parts[1::2]):
        name = re.match(r'\s*name: "(\w+)"', target)
        if not name:
            continue
        name, is_test = name.group(1), kind == "testTarget"
        listed = re.search(r"dependencies: \[(.*?)\](?=[,)\s])", target, re.S)
        path = re.search(r'\bpath: "([^"]+)"', target)
        found[name] = Target(
            name, is_test, path.group(1) if path else folder_of(name),
            tuple(re.findall(r'(?:(?<=name: )|(?<![:] ))"(\w+)"', listed.group(1))) if listed else ())
    return found


def of_checkout():
    return read((ROOT / "Package.swift").read_text(encoding="utf-8"))


def importers(names, targets):
    """Returns these targets and all that depend on one of them, directly or indirectly."""
    reached = set(names)
    while True:
        more = {each.name for each in targets.values() if not reached.isdisjoint(each.dependencies)} - reached
        if not more:
            return reached
        reached |= more
