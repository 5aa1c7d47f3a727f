"""Shared state of the rows: the folder, the server, the daemon, the programs."""
import contextlib
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess

from .daemon import Daemon
from .machine import FERRY, FOUNDATION, NotMeasured, environment
from .origin import Origin
from .pairs import Side


class Bench:
    """The context of the rows. They run one after the other, each with its own daemon."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.output = folder / "out"
        self.output.mkdir()
        self.file = self.output / "file"
        self.checked = set()
        #: number of output folders that were set aside
        self.aside = 0
        self.daemon = None
        self.environment = environment(folder)
        self.origin = Origin(folder / "origin")
        self.environment["SSL_CERT_FILE"] = str(self.origin.authority)
        self.result = {"comparisons": [], "values": [], "rest": {}, "not_measured": {}}

    def stop(self):
        self.origin.stop()

    @contextlib.contextmanager
    def with_daemon(self):
        """Starts a daemon without state, available as `daemon` while the context lasts."""
        shutil.rmtree(self.environment["FERRY_HOME"], ignore_errors=True)
        with Daemon(self.environment) as self.daemon:
            try:
                yield self.daemon
            finally:
                daemon, self.daemon = self.daemon, None
                daemon.reset_peak()

    def wants(self, peer):
        """Returns whether to measure a peer: it is installed, and --beside does not exclude it."""
        wanted = self.options.beside.split(",") if self.options.beside else None
        program = {"foundation": str(FOUNDATION)}.get(peer, peer)
        return (wanted is None or peer in wanted) and shutil.which(program) is not None

    # The programs.

    @functools.cached_property
    def knows_connections(self):
        text = subprocess.run([FERRY, "get", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
        return "--connections" in text

    def connections(self, number):
        """Returns the option for this number of connections for one file."""
        if self.knows_connections:
            return ["--connections", str(number)]
        if number == 1:
            return []
        raise NotMeasured("this ferry has no --connections")

    def ferry(self, url, *words, name="ferry", relay=None):
        """`ferry get` of one file. A download that it reports as succeeded is durable."""
        fixed = [str(FERRY), "get", "-q", "-d", str(self.output), "-o", "file", *words]
        return Side(name, self._late(fixed, url, relay), relay=relay)

    def peer(self, name, url, *words, relay=None):
        """Another program with the same file, followed by a sync of the file."""
        authority, path = str(self.origin.authority), str(self.file)
        fixed = {
            "foundation": [str(FOUNDATION), url, path],
            "wget2": ["wget2", "-q", "--no-config", "--ca-certificate", authority, "-O", path],
            "curl": ["curl", "-q", "-s", "-f", "--cacert", authority, "-o", path],
            "aria2c": ["aria2c", "-q", "--no-conf", f"--ca-certificate={authority}", "-d", str(self.output), "-o", "file"],
            "axel": ["axel", "-q", "-o", path],
            "cp": ["cp", url, path],
        }[name] + list(words)
        command = fixed if name in ("foundation", "cp") else self._late(fixed, url, relay)
        return Side(name, command, ["sync", path], relay)

    @staticmethod
    def _late(fixed, url, relay):
        return (lambda address: fixed + [f"{address}/{url}"]) if relay else fixed + [url]

    # Results.

    def check(self, name, of, file=None):
        """Checks a downloaded file: its size every time, its digest the first time. Then removes it."""
        file = file or self.file
        source = self.origin.folder / of
        if file.stat().st_size != source.stat().st_size:
            raise NotMeasured(f"{name} left {file.stat().st_size} bytes of {source.stat().st_size}")
        if (name, of) not in self.checked:
            if digest(file) != self.origin.digests[of]:
                raise NotMeasured(f"{name} left a file with another digest")
            self.checked.add((name, of))
        file.unlink()
        os.sync()

    def check_folder(self, name, of):
        """Checks the names and sizes of the files of a downloaded folder, then sets the folder aside.

        It is not deleted: for some seconds ext4 would search for inodes beyond the deleted ones, which would slow down the next run.
        """
        source = {each.name: each.stat().st_size for each in os.scandir(self.origin.folder / of)}
        found = {each.name: each.stat().st_size for each in os.scandir(self.output)}
        if found != source:
            raise NotMeasured(f"{name} left {len(found)} files for {len(source)}, or some of another size")
        sample = sorted(found)[len(found) // 2]
        if digest(self.output / sample) != digest(self.origin.folder / of / sample):
            raise NotMeasured(f"{name} left a file with another digest")
        self.aside += 1
        self.output.rename(self.folder / f"out-{self.aside}")
        self.output.mkdir()
        os.sync()

    def add(self, comparison):
        self.result["comparisons"].append(comparison)

    def note(self, entry):
        self.result["values"].append(entry)


def digest(path):
    with open(pathlib.Path(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
