"""The row of a daemon under long load: its memory, journal and log, minute by minute."""
import json
import pathlib
import random
import shutil
import subprocess
import time

from .machine import FERRY, NotMeasured, say
from .pairs import LIMIT, value
from .work import digest

MIB = 1 << 20
#: small files per command
BATCH = 500
LARGE = 200 * MIB
#: resident memory limit of a daemon at rest, in MiB: 60 MB
RESIDENT = round(60e6 / MIB, 1)
#: seconds until a daemon at rest has released its free memory, docs/performance.md
TIDY = 60
#: transfers kept in the journal between two rounds, as in a user's list
KEPT = 1000


class Soak:
    """Rounds of batches, large files, pauses, removals and streams, with one daemon throughout."""

    def __init__(self, bench, daemon):
        self.bench, self.daemon = bench, daemon
        self.state = pathlib.Path(bench.environment["FERRY_HOME"]) / "state"
        self.small = bench.origin.files("soak", BATCH, 8192)
        self.large = bench.origin.file("large", LARGE)
        self.listed = bench.folder / "soak-urls"
        self.listed.write_text("".join(f"{bench.origin.plain}/{self.small}/{number:06}\n" for number in range(BATCH)))
        self.finished, self.minutes = 0, []

    def ferry(self, *words):
        result = subprocess.run([FERRY, *map(str, words)], env=self.bench.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, timeout=LIMIT)
        if result.returncode:
            raise NotMeasured(f"ferry {' '.join(map(str, words[:4]))} ended with status {result.returncode}")
        return result.stdout

    def round(self, number):
        """Runs a batch and a large file that is paused and resumed, with an open stream. Then removes the oldest transfers."""
        watch = subprocess.Popen([FERRY, "watch"], env=self.bench.environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            output = self.bench.output / f"{number}"
            output.mkdir()
            large = self.ferry("add", "-d", output, "-o", "large", f"{self.bench.origin.plain}/{self.large}").strip()
            self.ferry("get", "-q", "-d", output, "-i", self.listed)
            for _ in range(random.randrange(3)):
                # Pausing a finished transfer fails, which is expected.
                for verb in ("pause", "resume"):
                    subprocess.run([FERRY, verb, large], env=self.bench.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, timeout=LIMIT)
            self.ferry("wait", "-q", large)
            if number % 5 == 0 and digest(output / "large") != self.bench.origin.digests[self.large]:
                raise NotMeasured("a large file has another digest")
            if len(list(output.iterdir())) != BATCH + 1:
                raise NotMeasured("some files are missing")
            self.finished += BATCH + 1
            self.forget(KEPT)
            shutil.rmtree(output)
        finally:
            watch.terminate()
            watch.wait()

    def forget(self, keep):
        """Removes the oldest transfers, so that `keep` of them remain."""
        ids = [each["id"] for each in json.loads(self.ferry("list", "--json"))]
        if len(ids) > keep:
            self.ferry("remove", *ids[:len(ids) - keep])

    def journal(self):
        return sum(path.stat().st_size for path in self.state.glob("journal.sqlite*")) / MIB

    def log(self):
        path = self.state / "ferryd.log"
        return path.stat().st_size / 1024 if path.exists() else 0

    def look(self, minute):
        resident, anonymous = self.daemon.memory()
        self.minutes.append((minute, self.finished, resident, anonymous, self.journal(), self.log()))
        say(f"minute {minute}: {self.finished} transfers, {resident:.1f} MiB resident ({anonymous:.1f} not file-backed),"
            f" journal {self.journal():.1f} MiB, log {self.log():.0f} KiB")


def soak(bench):
    """Batches of small files, large files, pauses, removals and streams, for several minutes."""
    minutes = bench.options.soak
    with bench.with_daemon() as daemon:
        work, began, number = Soak(bench, daemon), time.monotonic(), 0
        for minute in range(1, minutes + 1):
            while time.monotonic() - began < minute * 60:
                work.round(number)
                number += 1
            work.look(minute)
        half = work.minutes[len(work.minutes) // 2 - 1] if minutes > 1 else work.minutes[0]
        work.forget(0)
        # A daemon releases free memory only at rest.
        time.sleep(max(bench.options.rest, TIDY))
        bench.note(value("soak", f"transfers in {minutes} minutes", work.finished, ""))
        bench.note(value("soak", "daemon, resident at rest afterwards", daemon.memory()[0], "MiB", RESIDENT))
        bench.note(value("soak", "daemon, peak", daemon.peak(), "MiB"))
        bench.note(value("soak", "journal, half-way", half[4], "MiB"))
        bench.note(value("soak", "journal, at the end", work.minutes[-1][4], "MiB", round(half[4] * 1.25 + 1, 1)))
        bench.note(value("soak", "journal, at rest with nothing in it", work.journal(), "MiB"))
        bench.note(value("soak", "log", work.log(), "KiB", 100))
