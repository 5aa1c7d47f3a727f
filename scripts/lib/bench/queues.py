"""The rows of long queues."""
import subprocess
import time

from .machine import FERRY, say
from .origin import Silent
from .pairs import timed, value

#: resident memory limit of a daemon, in MiB: 100 MB
MEMORY = round(100e6 / (1 << 20), 1)
#: transfers per command
BATCH = 200_000


def add(bench, count, port, *words):
    """Adds this many transfers. Returns the total seconds of the commands."""
    seconds, listed = 0, bench.folder / "queue"
    for first in range(0, count, BATCH):
        last = min(count, first + BATCH)
        listed.write_text("".join(f"http://127.0.0.1:{port}/{number}\n" for number in range(first, last)))
        seconds += timed([str(FERRY), "add", "-q", *words, "-d", str(bench.output), "-i", str(listed)],
                         bench.environment)["wall"]
        say(f"{last} transfers in {seconds:.1f} s")
    return seconds


def handover(bench):
    """Adds very many transfers with one command, then kills the daemon and requests a list."""
    count = bench.options.handover
    with bench.with_daemon() as daemon:
        seconds = add(bench, count, bench.origin.port, "--paused")
        bench.note(value("hand over", f"{count:,} by one command", count / seconds, "a second", 50_000, most=False))
        bench.note(value("hand over", "daemon, resident afterwards", daemon.memory()[0], "MiB", MEMORY))
        bench.note(value("hand over", "daemon, peak", daemon.peak(), "MiB"))
        daemon.kill()
        answer = timed([str(FERRY), "list", "--limit", "10"], bench.environment)["wall"]
        bench.note(value("hand over", "ferry list --limit 10 after SIGKILL", answer, "s", 1.0))
        daemon.find()
        bench.note(value("hand over", "daemon, resident after that", daemon.memory()[0], "MiB", MEMORY))
        daemon.forget()


def waiting(bench):
    """Queues a million transfers, and starts a daemon with them."""
    count = bench.options.waiting
    with Silent() as silent, bench.with_daemon() as daemon:
        seconds = add(bench, count, silent.port)
        bench.note(value("waiting", f"{count:,} handed over", count / seconds, "a second"))
        bench.note(value("waiting", "daemon, resident afterwards", daemon.memory()[0], "MiB", MEMORY))
        bench.note(value("waiting", "daemon, peak", daemon.peak(), "MiB"))
        firsts, memories = [], []
        for _ in range(bench.options.pairs):
            daemon.kill()
            silent.drain()
            began = time.monotonic()
            start = subprocess.Popen([FERRY, "daemon", "start"], env=bench.environment)
            firsts.append(silent.first_request(began, 120))
            start.wait()
            daemon.find()
            memories.append(daemon.peak())
        worst = None if None in firsts else max(firsts)
        bench.note(value("waiting", f"first request after a start, most of {len(firsts)}", worst, "s", 1.0))
        bench.note(value("waiting", "daemon, peak since its start", max(memories), "MiB", MEMORY))
        daemon.forget()


def actions(bench):
    """Cancels, removes, pauses and resumes very many waiting transfers with one command each."""
    count = bench.options.actions
    with Silent() as silent:
        for word in ("cancel", "remove", "pause", "resume"):
            with bench.with_daemon() as daemon:
                add(bench, count, silent.port, *(["--paused"] if word == "resume" else []))
                daemon.reset_peak()
                took = timed([str(FERRY), word, "--all"], bench.environment)["wall"]
                bench.note(value("actions", f"ferry {word} --all of {count:,}", took, "s", 10.0))
                bench.note(value("actions", f"ferry {word} --all, daemon, peak", daemon.peak(), "MiB", 150))
                daemon.forget()
