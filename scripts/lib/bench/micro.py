"""Microbenchmarks: instruction counts of single decisions, compared with the stored thresholds."""
import ctypes
import os
import struct
import subprocess
import sys

from .machine import ROOT, say

PACKAGE = ROOT / "Benchmarks/Micro"


def counts_instructions():
    """Returns whether this machine lets a program count its own instructions."""
    # perf_event_attr: hardware event, its size, "instructions", only user code of this process.
    attributes = struct.pack("=IIQQQQQ", 0, 112, 1, 0, 0, 0, 1 << 5 | 1 << 6).ljust(112, b"\0")
    numbers = {"x86_64": 298, "aarch64": 241}
    number = numbers.get(os.uname().machine)
    if number is None:
        return False
    descriptor = ctypes.CDLL(None).syscall(number, attributes, 0, -1, -1, 0)
    if descriptor < 0:
        return False
    try:
        return struct.unpack("Q", os.read(descriptor, 8))[0] > 0
    finally:
        os.close(descriptor)


def micro(update):
    """Runs all microbenchmarks. Returns the exit status: 0 if none takes more instructions than its threshold allows."""
    if not counts_instructions():
        say("microbenchmarks skipped: this machine does not let programs count instructions (perf_event_open)")
        return 0
    command = [ROOT / "scripts/swift", "package", "--package-path", PACKAGE, "--disable-sandbox", "--allow-writing-to-package-directory",
               "benchmark", "thresholds", "update" if update else "check", "--path", PACKAGE / "Thresholds",
               "--metric", "instructions", "--no-progress"]
    # `swift package` does not pass on the plugin's exit status. Its last output shows the result.
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    said = ""
    for line in process.stdout:
        said += line
        sys.stderr.write(line)
    status = process.wait()
    if "WORSE than the defined thresholds" in said:
        say("more instructions than the thresholds allow")
        return 1
    if "BETTER than the defined thresholds" in said:
        say("fewer instructions than the thresholds say; scripts/bench --micro-update stores the new ones")
        return 0
    return status
