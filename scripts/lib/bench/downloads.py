"""The rows that compare downloads with other programs."""
import functools

from .machine import FERRY, say
from .pairs import Side, against, compare

MIB = 1 << 20
#: server's limit per connection in the capped rows, in bytes per second
CAP = 10 * MIB


def one_connection(bench):
    """One file over loopback, one connection."""
    name = bench.origin.file("file", bench.options.size * MIB)
    url, local = f"{bench.origin.plain}/{name}", str(bench.origin.folder / name)
    bounds = {"wget2": {"wall": 0.8, "processor": 0.8}, "curl": {"wall": 0.55, "processor": 0.55}, "cp": {"wall": 1.2}}
    mine = bench.ferry(url, *bench.connections(1))
    with bench.with_daemon():
        for peer in ("wget2", "curl", "cp", "aria2c", "foundation"):
            if bench.wants(peer):
                bench.add(compare(bench, "one connection", mine, bench.peer(peer, local if peer == "cp" else url),
                                  functools.partial(bench.check, of=name), bounds.get(peer)))


def tls(bench):
    """The same file over TLS."""
    name = bench.origin.file("file", bench.options.size * MIB)
    url = f"{bench.origin.tls}/{name}"
    with bench.with_daemon():
        for peer in ("curl", "wget2"):
            if bench.wants(peer):
                bench.add(compare(bench, "TLS", bench.ferry(url), bench.peer(peer, url),
                                  functools.partial(bench.check, of=name), {"wall": 0.65, "processor": 0.65}))


def digest(bench):
    """With a requested SHA-256 check, compared with the same download without it."""
    name = bench.origin.file("file", bench.options.size * MIB)
    url = f"{bench.origin.plain}/{name}"
    mine = bench.ferry(url, "--checksum", f"sha256:{bench.origin.digests[name]}", name="ferry with SHA-256")
    with bench.with_daemon():
        bench.add(compare(bench, "digest", mine, bench.ferry(url, name="ferry without"),
                          functools.partial(bench.check, of=name), {"wall": 1.6}))


ARIA2 = ["-x16", "-s16", "-k1M"]


def capped(bench):
    """A server that caps each connection, with 16 connections."""
    name = bench.origin.file("capped", bench.options.capped * MIB)
    relay = (bench.origin.port, "--cap", CAP)
    mine = bench.ferry(name, *bench.connections(16), relay=relay)
    with bench.with_daemon():
        for peer, words, bounds in [("aria2c", ARIA2, {"wall": 1.0, "processor": 0.8}), ("axel", ["-n16"], None)]:
            if bench.wants(peer):
                bench.add(compare(bench, "capped", mine, bench.peer(peer, name, *words, relay=relay),
                                  functools.partial(bench.check, of=name), bounds))


def round_trip(bench):
    """A round trip of 100 ms, with 16 connections and with ferry's own choice."""
    name = bench.origin.file("far", bench.options.far * MIB)
    relay = (bench.origin.port, "--rtt", 100)
    mine = bench.ferry(name, *bench.connections(16), name="ferry --connections 16", relay=relay)
    chosen = bench.ferry(name, name="ferry", relay=relay)
    check = functools.partial(bench.check, of=name)
    with bench.with_daemon():
        if bench.wants("aria2c"):
            aria2 = bench.peer("aria2c", name, *ARIA2, relay=relay)
            bench.add(compare(bench, "round trip", mine, aria2, check, {"wall": 0.9}))
            bench.add(compare(bench, "round trip", chosen, aria2, check))
        bench.add(compare(bench, "round trip", chosen, mine, check, {"wall": 1.5}))


def uneven(bench):
    """One of eight connections is ten times slower than the others. Compared with the time at the combined speed of all."""
    name = bench.origin.file("capped", bench.options.capped * MIB)
    relay = (bench.origin.port, "--cap", CAP, "--slow-connection", 8, "--slow-factor", 10)
    ideal = bench.options.capped * MIB / (7.1 * CAP)
    check = functools.partial(bench.check, of=name)
    with bench.with_daemon():
        mine = bench.ferry(name, *bench.connections(8), relay=relay)
        bench.add(against(bench, "uneven", mine, ideal, check, {"wall": 1.1}))
        if bench.wants("aria2c"):
            aria2 = bench.peer("aria2c", name, "-x8", "-s8", "-k1M", relay=relay)
            bench.add(against(bench, "uneven", aria2, ideal, check))


def http2(bench):
    """The same file over HTTP/2, which ferry offers for a list of small files or a stated size. curl offers it always."""
    name = bench.origin.file("file", bench.options.size * MIB)
    url = f"{bench.origin.http2}/{name}"
    with bench.with_daemon():
        if bench.wants("curl"):
            bench.add(compare(bench, "HTTP/2", bench.ferry(url), bench.peer("curl", url),
                              functools.partial(bench.check, of=name), {"wall": 0.7}))


def _small(bench, row, address, count, peers, relay=None):
    """Files of 8 KiB by `ferry get -i` and by other programs, which are followed by a sync of their file system.

    - address: the server's URL, or with a relay a function of the relay's URL.
    - peers: for each program its words and bounds.
    """
    output = str(bench.output)
    name = bench.origin.files(f"small{count}", count, 8192)
    listed, configured = bench.folder / "urls", bench.folder / "curl.config"

    def lists(base):
        urls = [f"{base}/{name}/{number:06}" for number in range(count)]
        listed.write_text("".join(f"{url}\n" for url in urls))
        configured.write_text("".join(f'url = "{url}"\noutput = "{output}/{url[-6:]}"\n' for url in urls))

    def late(words):
        def command(url):
            lists(address(url))
            return words
        return command if relay else words

    if not relay:
        lists(address)
    mine = Side("ferry", late([str(FERRY), "get", "-q", "-d", output, "-i", str(listed)]), relay=relay)
    authority = str(bench.origin.authority)
    common = {
        "curl": ["curl", "-q", "-s", "--no-progress-meter", "-f", "--cacert", authority, "--parallel", "-K", str(configured)],
        "aria2c": ["aria2c", "-q", "--no-conf", f"--ca-certificate={authority}", "-d", output, "-i", str(listed)],
    }
    with bench.with_daemon():
        for peer, (words, bounds) in peers.items():
            if bench.wants(peer):
                other = Side(peer, late(common[peer] + words), ["sync", "-f", output], relay)
                bench.add(compare(bench, row, mine, other, functools.partial(bench.check_folder, of=name), bounds))


def small_files(bench):
    """Many files of 8 KiB."""
    _small(bench, "small files", bench.origin.plain, bench.options.small,
           {"curl": (["--parallel-max", "16"], {"wall": 1.0}), "aria2c": (["-j16"], {"wall": 0.2})})


def small_files_tls(bench):
    """The same over TLS and HTTP/1.1."""
    _small(bench, "small files, TLS", bench.origin.tls, bench.options.small,
           {"curl": (["--parallel-max", "16"], {"wall": 2.0})})


def small_files_h2(bench):
    """The same over HTTP/2."""
    _small(bench, "small files, HTTP/2", bench.origin.http2, bench.options.small,
           {"curl": (["--parallel-max", "16"], {"wall": 2.0})})


def small_files_far(bench):
    """Small files over a round trip of 100 ms, as people type it."""
    origin, count = bench.origin, bench.options.smallfar

    def local(scheme):
        return lambda url: scheme + "://localhost" + url[url.rindex(":"):]

    for version, port, scheme, bound in (("HTTP/2", origin.http2_port, "https", 0.8), ("TLS", origin.tls_port, "https", 1.5),
                                         ("plain", origin.port, "http", 1.5)):
        _small(bench, f"small files far, {version}", local(scheme), count, {"curl": ([], {"wall": bound})},
               relay=(port, "--rtt", 100))


def command(bench):
    """A file of 1 KiB with a running daemon: the time of a whole command."""
    name = bench.origin.file("tiny", 1024)
    url, pairs = f"{bench.origin.plain}/{name}", max(20, bench.options.pairs)
    with bench.with_daemon():
        if bench.wants("curl"):
            say(f"command, {pairs} pairs")
            bench.add(compare(bench, "command", bench.ferry(url), bench.peer("curl", url),
                              functools.partial(bench.check, of=name), {"wall": 3.0}, pairs))


def rest(bench):
    """The cost of an idle daemon."""
    name = bench.origin.file("file", bench.options.size * MIB)
    with bench.with_daemon() as daemon:
        bench.result["rest"]["just started"] = daemon.rest(bench.options.rest)
        for _ in range(3):
            bench.ferry(f"{bench.origin.plain}/{name}").run(bench)
            bench.check("ferry", name)
        bench.result["rest"]["after three downloads"] = daemon.rest(bench.options.rest)
