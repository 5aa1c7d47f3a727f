"""The row that compares an upload with curl."""
import hashlib
import socket
import threading

from .machine import FERRY, NotMeasured
from .pairs import Side, compare

MIB = 1 << 20


class Sink(threading.Thread):
    """A server for sequential uploads. It records the size of the last one, and its digest if requested."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/file"
        self.size, self.digest, self.digests = 0, None, True
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        buffer = memoryview(bytearray(MIB))
        with connection:
            while True:
                head = b""
                while b"\r\n\r\n" not in head:
                    part = connection.recv(65536)
                    if not part:
                        return
                    head += part
                head, rest = head.split(b"\r\n\r\n", 1)
                head = head.lower()
                length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
                if b"expect: 100" in head:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                digest = hashlib.sha256(rest) if self.digests else None
                left = length - len(rest)
                while left > 0:
                    count = connection.recv_into(buffer, min(len(buffer), left))
                    if not count:
                        return
                    left -= count
                    if digest:
                        digest.update(buffer[:count])
                self.size, self.digest = length, digest and digest.hexdigest()
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")


def upload(bench):
    """Uploads one file over loopback. The digest of each program's first run is checked."""
    name = bench.origin.file("file", bench.options.size * MIB)
    path, sink = bench.origin.folder / name, Sink()

    def check(program):
        if sink.size != path.stat().st_size:
            raise NotMeasured(f"{program} sent {sink.size} bytes")
        if sink.digest and sink.digest != bench.origin.digests[name]:
            raise NotMeasured(f"{program} sent a file with another digest")
        seen.add(program)
        sink.digests = len(seen) < 2

    seen = set()
    with bench.with_daemon():
        if bench.wants("curl"):
            bench.add(compare(bench, "upload", Side("ferry", [str(FERRY), "put", "-q", str(path), sink.url]),
                              Side("curl", ["curl", "-q", "-s", "-f", "-T", str(path), sink.url]), check,
                              {"wall": 1.2, "processor": 1.2}))
    sink.socket.close()
