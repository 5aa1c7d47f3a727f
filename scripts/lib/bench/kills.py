"""The row that measures bytes fetched again after a SIGKILL or a pause, and checks the file."""
import random
import subprocess
import time

from .machine import FERRY, NotMeasured, say
from .origin import Relay
from .pairs import LIMIT, value
from .work import digest

MIB = 1 << 20
CONNECTIONS = 8
#: server's limit per connection, in bytes per second
CAP = 4 * MIB
#: duration of an uninterrupted download, in seconds
LASTS = 6


def interrupted(bench, name, interrupt):
    """Interrupts a download once, at random. Returns the bytes fetched again, as seconds at its previous speed, and whether the
    digest is right."""
    def run(*words):
        return subprocess.run([FERRY, *words], env=bench.environment, check=True, stdout=subprocess.PIPE, text=True,
                              timeout=LIMIT).stdout

    with Relay(bench.origin.port, "--cap", CAP) as relay:
        identifier = run("add", "-d", str(bench.output), "-o", "file", *bench.connections(CONNECTIONS),
                         f"{relay.url}/{name}").strip()
        after = random.uniform(0.1, 0.9) * LASTS
        time.sleep(after)
        before = relay.counts()
        if before["connections"] < 2:
            run("cancel", identifier)
            raise NotMeasured("this ferry uses one connection")
        interrupt(run, identifier)
        run("wait", "-q", identifier)
        again = relay.counts()["to_clients"] - (bench.origin.folder / name).stat().st_size
    seconds = again / (before["to_clients"] / after)
    right = digest(bench.file) == bench.origin.digests[name]
    bench.file.unlink()
    say(f"interrupted after {after:.1f} s: {again / MIB:.1f} MiB again, {seconds:.2f} s, {'right' if right else 'WRONG'}")
    return seconds, right


def paused_again_and_again(bench, name, rounds):
    """Pauses and resumes three downloads together, at random moments. Returns the number of rounds that one daemon survives, or 0
    if a file is wrong."""
    def run(*words):
        return subprocess.run([FERRY, *words], env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=LIMIT)

    files = [bench.output / f"file{number}" for number in range(3)]
    with Relay(bench.origin.port, "--cap", CAP) as relay:
        identifiers = [run("add", "-d", str(bench.output), "-o", file.name, *bench.connections(CONNECTIONS),
                           f"{relay.url}/{name}").stdout.strip() for file in files]
        daemon = bench.daemon.pid
        lived = 0
        while lived < rounds and bench.daemon.pid == daemon:
            time.sleep(random.uniform(0.02, 0.4))
            run("pause", *identifiers)
            time.sleep(random.uniform(0, 0.05))
            run("resume", *identifiers)
            bench.daemon.find()
            lived += bench.daemon.pid == daemon
        right = all(run("wait", "-q", identifier).returncode == 0 for identifier in identifiers) \
            and all(digest(file) == bench.origin.digests[name] for file in files)
    for file in files:
        file.unlink(missing_ok=True)
    say(f"paused and resumed: {lived} of {rounds} rounds, files {'right' if right else 'WRONG'}")
    return lived if right else 0


def kills(bench):
    """Kills the daemon during a segmented download, or pauses and resumes it."""
    bench.connections(CONNECTIONS)
    name = bench.origin.file("killed", LASTS * CONNECTIONS * CAP)

    def kill(*_):
        bench.daemon.kill()
        bench.daemon.start()

    def pause(run, identifier):
        run("pause", identifier)
        run("resume", identifier)

    with bench.with_daemon():
        for word, interrupt, count in [("SIGKILL", kill, bench.options.kills), ("pause", pause, -(-bench.options.kills // 5))]:
            results = [interrupted(bench, name, interrupt) for _ in range(count)]
            most = max(seconds for seconds, _ in results)
            bench.note(value("interrupted", f"fetched again after a {word}, most of {count}", most, "s of transfer", 2.0))
            bench.note(value("interrupted", f"digests right after a {word}, of {count}",
                             sum(right for _, right in results), "files", count, most=False))
        rounds = 4 * bench.options.kills
        bench.note(value("interrupted", f"rounds of pauses of three transfers that one daemon lives through, of {rounds}",
                         paused_again_and_again(bench, name, rounds), "rounds", rounds, most=False))
