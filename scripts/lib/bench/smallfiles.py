"""The rows of very many small files: how they grow, what they cost others, and what kills leave of them."""
import random
import shutil
import socket
import subprocess
import threading
import time

from .machine import FERRY, say
from .origin import Relay
from .pairs import LIMIT, timed, value

MIB = 1 << 20
#: bytes per second of the large file beside them
CAP = 64 * MIB


def listed(bench, name, count):
    """Writes a list of the URLs of a folder of files. Returns its path."""
    path = bench.folder / f"{name}.urls"
    path.write_text("".join(f"{bench.origin.plain}/{name}/{number:06}\n" for number in range(count)))
    return path


def command(folder, urls, verb="get"):
    folder.mkdir(parents=True)
    return [str(FERRY), verb, "-q", "-d", str(folder), "-i", str(urls)]


def many_files(bench):
    """Files of 1 KiB in one list: a hundredth, a tenth and all of them."""
    for part in (100, 10, 1):
        count = bench.options.many // part
        name = bench.origin.files(f"many{count}", count, 1024)
        urls = listed(bench, name, count)
        with bench.with_daemon() as daemon:
            before = daemon.processor_time()
            took = timed(command(bench.output / name, urls), bench.environment)
            bench.note(value("many files", f"{count:,} files", took["wall"], "s"))
            bench.note(value("many files", f"{count:,} files, processor time for each",
                             (daemon.processor_time() - before + took["processor"]) / count * 1e6, "µs"))
            bench.note(value("many files", f"{count:,} files, daemon, peak", daemon.peak(), "MiB"))


def beside(bench):
    """A large file from a capped server and `ferry list`, alone and beside small files."""
    count = bench.options.small
    name, large = bench.origin.files("small", count, 8192), bench.origin.file("large", bench.options.far * MIB)
    urls = listed(bench, name, count)

    def fetch():
        with Relay(bench.origin.port, "--cap", CAP) as relay:
            return bench.ferry(f"{relay.url}/{large}", *bench.connections(1)).run(bench)["wall"]

    def lists(goes_on):
        times = []
        while goes_on(len(times)):
            times.append(timed([str(FERRY), "list", "--limit", "10"], bench.environment)["wall"])
        return sorted(times)

    def late(times):
        return times[min(len(times) - 1, len(times) * 99 // 100)] * 1000

    with bench.with_daemon():
        alone, together = [], []
        for pair in range(bench.options.pairs):
            alone.append(fetch())
            bench.file.unlink()
            small = subprocess.Popen(command(bench.output / f"small{pair}", urls), env=bench.environment)
            together.append(fetch())
            bench.file.unlink()
            small.wait(LIMIT)
        ratios = sorted(one / other for one, other in zip(together, alone))
        bench.note(value("beside", f"a large file beside {count:,} small ones, times alone", ratios[len(ratios) // 2], "", 1.1))
        bench.note(value("beside", "ferry list, alone, 99 of 100 within", late(lists(lambda done: done < 100)), "ms"))
        small = subprocess.Popen(command(bench.output / "listed", urls), env=bench.environment)
        times = lists(lambda done: small.poll() is None or not done)
        bench.note(value("beside", "ferry list, beside small files, 99 of 100 within", late(times), "ms", 20))


def streams(bench):
    """Files of 8 KiB alone, and beside event streams whose clients never read. The history is as long as the list."""
    count = bench.options.streamed
    name = bench.origin.files("streamed", count, 8192)
    urls = listed(bench, name, count)
    request = b"GET /v1/events?after=0&progress=0.05 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for clients in (120, 300):
        with bench.with_daemon() as daemon:
            timed(command(bench.output / f"history{clients}", urls), bench.environment)
            alone = timed(command(bench.output / f"alone{clients}", urls), bench.environment)["wall"]
            deaf = []
            for _ in range(clients):
                one = socket.socket(socket.AF_UNIX)
                one.connect(f"{bench.environment['FERRY_HOME']}/run/ferryd.sock")
                one.sendall(request)
                deaf.append(one)
            # The streams begin with the history.
            time.sleep(2)
            beside = timed(command(bench.output / f"beside{clients}", urls), bench.environment)["wall"]
            bench.note(value("streams", f"{count:,} files beside {clients} unread streams, times alone", beside / alone, "", 1.2))
            bench.note(value("streams", f"{clients} unread streams, daemon, peak", daemon.peak(), "MiB", 150))
            for one in deaf:
                one.close()


def killed(bench, name, count, round_number):
    """Kills the daemon or its client while small files are fetched. Returns the number of wrong, missing and extra files."""
    source, folder = bench.origin.folder / name, bench.output / f"killed{round_number}"
    urls, wrong = bench.folder / f"{name}.urls", 0
    names = {f"{number:06}" for number in range(count)}
    if random.random() < 0.7:
        # All are handed over durably before the kill.
        subprocess.run(command(folder, urls, "add"), env=bench.environment, check=True, stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.4))
        bench.daemon.kill()
        wrong = sum(path.read_bytes() != (source / path.name).read_bytes()
                    for path in folder.iterdir() if (source / path.name).exists())
        bench.daemon.start()
    else:
        client = subprocess.Popen(command(folder, urls), env=bench.environment, stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(0.02, 0.6))
        client.kill()
        client.wait()
        # It may have handed over nothing yet.
        names = names if unfinished(bench) or any(folder.iterdir()) else set()
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline and unfinished(bench):
        time.sleep(0.02)
    found = {path.name for path in folder.iterdir()}
    wrong += sum((folder / one).read_bytes() != (source / one).read_bytes() for one in found & names)
    missing, extra = len(names - found), len(found - names)
    if wrong or missing or extra:
        say(f"round {round_number}: {wrong} wrong, {missing} missing, {extra} extra")
    else:
        shutil.rmtree(folder)
    return wrong, missing, extra


def unfinished(bench):
    words = ["list", "--limit", "1", "--state", "running", "--state", "waiting", "--json"]
    text = subprocess.run([FERRY, *words], env=bench.environment, stdout=subprocess.PIPE, text=True, timeout=LIMIT).stdout
    return '"id"' in text


def small_kills(bench):
    """Kills the daemon or its client at random moments among small files."""
    count, rounds = 400, bench.options.smallkills
    name = bench.origin.files("killed-small", count, 8192)
    listed(bench, name, count)
    with bench.with_daemon():
        results = [killed(bench, name, count, number) for number in range(rounds)]
        for place, what in enumerate(("files that are not whole", "files that are missing", "files left over")):
            bench.note(value("small kills", f"{what}, after {rounds} kills", sum(one[place] for one in results), "files", 0))
