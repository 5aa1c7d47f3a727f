"""Paths and builds of the programs, and helpers of all parts."""
import os
import pathlib
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# FERRY_BIN is a folder with programs that are already built.
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / ".build/release"))
FERRY, FERRYD = BIN / "ferry", BIN / "ferryd"
# Programs of Benchmarks/, in the same folder as ferry.
URLSESSION, FOUNDATION = BIN / "URLSessionBenchmark", BIN / "FoundationBenchmark"
MANAGER, RELAY = BIN / "FerryBenchmark", BIN / "FerryRelay"


class NotMeasured(Exception):
    """The reason why a row has no result, or only a part of it."""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def stop(text):
    sys.exit(f"bench: {text}")


def packages(*names):
    script = ROOT / "scripts/lib/packages.bash"
    subprocess.run(["bash", "-c", '. "$1"; shift; ferry_packages "$@"', "bench", script, *names],
                   check=True, stdout=sys.stderr)
    os.environ["PATH"] += ":/usr/local/sbin:/usr/sbin:/sbin"


def build(*products):
    """Builds ferry, ferryd and these programs of Benchmarks/, unless they are up to date."""
    if "FERRY_BIN" not in os.environ:
        subprocess.run([ROOT / "scripts/ferry", "--help"], check=True, stdout=subprocess.DEVNULL)
        if products:
            script = 'root=$1; . "$root/scripts/lib/release.bash"; ferry_swift_build --package-path "$root"'
            subprocess.run(["bash", "-c", script, "bench", ROOT], env=os.environ | {"FERRY_TARGETS": ",".join(products)},
                           check=True, stdout=sys.stderr)


def build_foundation():
    """Builds the program with Foundation's own URLSession, which is not part of the package."""
    source = ROOT / "Benchmarks/FoundationBenchmark/main.swift"
    if not FOUNDATION.exists() or FOUNDATION.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["swiftc", "-O", source, "-o", FOUNDATION], check=True, stdout=sys.stderr)


def environment(folder):
    """Returns the environment of all started programs: no proxies, with HOME and FERRY_HOME in the folder."""
    plain = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return plain | {"FERRY_HOME": str(folder / "home"), "HOME": str(folder), "FERRYD": str(FERRYD)}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
