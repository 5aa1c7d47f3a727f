"""The symbol graphs of built modules, for scripts/members and scripts/docc."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build/debug"


def extract(module, folder):
    """Writes the public symbol graphs of a built module to a folder and returns their paths. Exits if the module is not built."""
    maps = [*BUILD.glob("*.build/module.modulemap"), *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap"),
            *ROOT.glob("Sources/*/*/include/module.modulemap")]
    headers = {path.parent for path in maps} | {*ROOT.glob(".build/checkouts/*/Sources/*/include")}
    command = ["swift", "symbolgraph-extract", "-module-name", module, "-I", BUILD / "Modules", "-output-dir", folder,
               "-minimum-access-level", "public", "-target", triple()]
    command += [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    command += [part for path in sorted(headers) for part in ("-Xcc", f"-I{path}")]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{module} cannot be read; build it first: scripts/swift build\n{done.stderr[-2000:]}")
    return [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]


def triple():
    info = subprocess.run(["swift", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return json.loads(info)["target"]["unversionedTriple"]
