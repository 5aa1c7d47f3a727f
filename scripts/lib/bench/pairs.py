"""Runs programs in pairs and measures them."""
import dataclasses
import os
import pathlib
import signal
import statistics
import subprocess
import threading
import time

from .machine import NotMeasured, say
from .origin import Relay


#: seconds after which a hanging program is killed
LIMIT = 300


class PeakMemory(threading.Thread):
    """Reads the peak resident memory of a process until it ends. The value of wait4 would include the parent's memory."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.path, self.ended, self.peak = pathlib.Path(f"/proc/{pid}/status"), threading.Event(), 0.0
        self.start()

    def run(self):
        interval = 0.001
        while not self.ended.wait(interval):
            self.look()
            interval = min(0.1, interval * 2)

    def look(self):
        try:
            for line in self.path.read_text().splitlines():
                if line.startswith("VmHWM:"):
                    self.peak = max(self.peak, int(line.split()[1]) / 1024)
        except OSError:
            pass


def timed(command, environment, status=0):
    """Runs a program. Returns its wall time and processor time in seconds, and its peak memory in MiB. The status must match."""
    began = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    memory = PeakMemory(process.pid)
    limit = threading.Timer(LIMIT, os.kill, (process.pid, signal.SIGKILL))
    limit.start()
    try:
        _, result, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
    finally:
        limit.cancel()
        memory.ended.set()
    process.returncode = os.waitstatus_to_exitcode(result)
    memory.join()
    if process.returncode != status:
        raise NotMeasured(f"{' '.join(map(str, command[:12]))} ended with status {process.returncode}")
    return {"wall": wall, "processor": usage.ru_utime + usage.ru_stime, "memory": memory.peak}


@dataclasses.dataclass
class Side:
    """A program that does the work of a row."""
    name: str
    #: command words, or with a relay a function of the relay's URL
    command: object
    #: command that makes the result durable, unless the program does so itself
    then: list | None = None
    #: port and options of a relay. Each run gets a new relay, so that it does not reuse open connections
    relay: tuple | None = None

    @property
    def is_ferry(self):
        return self.name.startswith("ferry")

    def run(self, bench):
        """Runs it once. For ferry, the result includes the daemon's processor time and memory."""
        if self.relay:
            with Relay(*self.relay) as relay:
                return self._run(bench, self.command(relay.url))
        return self._run(bench, self.command)

    def _run(self, bench, command):
        daemon = bench.daemon if self.is_ferry else None
        if daemon:
            daemon.reset_peak()
            before = daemon.processor_time()
        result = timed(command, bench.environment)
        if daemon:
            result["processor"] += daemon.processor_time() - before
            result["memory"] += daemon.peak()
        if self.then:
            durable = timed(self.then, bench.environment)
            result["wall"] += durable["wall"]
            result["processor"] += durable["processor"]
        return result


def compare(bench, row, mine, other, check, bounds=None, pairs=None):
    """Runs pairs in alternating order. `check(name)` checks the result of a run and removes it."""
    runs = []
    for number in range(-1, pairs or bench.options.pairs):
        pair = {}
        for side in (mine, other) if number % 2 == 0 else (other, mine):
            pair[side.name] = side.run(bench)
            check(side.name)
        if number < 0:  # a warm-up run of each, not counted
            continue
        runs.append({"measured": pair[mine.name], "other": pair[other.name]})
        if (pairs or 0) <= 10:
            say(f"{row}, pair {number + 1}: " + ", ".join(
                f"{side.name} {pair[side.name]['wall']:.2f} s (processor {pair[side.name]['processor']:.2f} s)"
                for side in (mine, other)))
    return {"row": row, "measured": mine.name, "beside": other.name, "bounds": bounds or {}, "pairs": runs}


def against(bench, row, mine, ideal, check, bounds=None):
    """Compares runs with a computed time."""
    runs = []
    for number in range(bench.options.pairs):
        result = mine.run(bench)
        check(mine.name)
        runs.append({"measured": result, "other": {"wall": ideal}})
        say(f"{row}, run {number + 1}: {mine.name} {result['wall']:.2f} s, ideal {ideal:.2f} s")
    return {"row": row, "measured": mine.name, "beside": "ideal", "bounds": bounds or {}, "pairs": runs}


def ratios(comparison, key):
    """Returns the ratios within each pair. Empty if the other has no such number."""
    return [pair["measured"][key] / pair["other"][key] for pair in comparison["pairs"] if pair["other"].get(key)]


def median(comparison, side, key):
    values = [pair[side][key] for pair in comparison["pairs"] if key in pair[side]]
    return statistics.median(values) if values else None


def value(row, what, number, unit, bound=None, most=True):
    """A result that is not a ratio. `most`: whether `bound` is a maximum, else a minimum."""
    return {"row": row, "what": what, "value": number, "unit": unit, "bound": bound, "most": most}


def held(number, bound, most=True):
    return bound is None or (number is not None and (number <= bound if most else number >= bound))
