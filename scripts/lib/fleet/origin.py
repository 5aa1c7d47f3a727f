"""Sources whose bytes follow from a number and a version, over HTTP with ranges and validators."""
import functools
import hashlib
import http.server
import multiprocessing
import random
import re
import select
import signal
import socket
import subprocess
import sys

LARGEST = 64 << 20


def size(number):
    """1 KiB to 64 MiB: most are small, one in a hundred is large."""
    dice = random.Random(number)
    return int(dice.uniform(1 << 20, LARGEST)) if number % 500 == 7 else int(2 ** dice.uniform(10, 16))


@functools.lru_cache(64)
def body(number, version):
    return random.Random(f"{number} {version}").randbytes(size(number))


@functools.lru_cache(100_000)
def digest(number, version):
    return hashlib.sha256(body(number, version)).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    versions = None

    def do_GET(self):
        number = int(self.path[1:])
        version = self.versions[number]
        content = body(number, version)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if condition and condition != f'"v{version}"':
            asked = None
        first = int(asked[1]) if asked else 0
        last = min(int(asked[2]), len(content) - 1) if asked and asked[2] else len(content) - 1
        if first >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("ETag", f'"v{version}"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(memoryview(content)[first:last + 1])

    def log_message(self, *_):
        pass


class HTTPServer(http.server.ThreadingHTTPServer):
    request_queue_size = 1024

    def handle_error(self, *_):
        """A client that disconnects is not an error."""


class Origin:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def stop(self):
        while RELAYS:
            RELAYS.pop().terminate()
        self.process.terminate()
        self.process.join()


class BadHandler(http.server.BaseHTTPRequestHandler):
    """Sources that never end well: always busy, a byte short, or a refusal with a body that no database stores."""

    protocol_version = "HTTP/1.1"
    log = None

    def do_GET(self):
        with self.log.get_lock():
            self.log.value += self.path == "/x"
        kind = self.path.split("/")[1]
        if kind == "short":
            self.send_response(200)
            self.send_header("Content-Length", "1001")
            self.end_headers()
            self.wfile.write(b"s" * 1000)
            self.close_connection = True
            return
        body = b"nul \0 and more" + bytes(range(256)) * 40 if kind == "nul" else b""
        self.send_response(404 if kind == "nul" else 503)
        if kind == "busy":
            self.send_header("Retry-After", "3")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_GET

    def log_message(self, *_):
        pass


class SlowHandler(http.server.BaseHTTPRequestHandler):
    """Files that take five seconds, of a server that counts its requests at the same time."""

    protocol_version = "HTTP/1.1"
    counts = None
    BODY = b"slow" * (12 << 10)
    PART = len(BODY) // 50

    def do_GET(self):
        # What is cut off from this machine cannot say that it has closed its connection.
        is_counted = self.client_address[0] == "127.0.0.1"
        if is_counted:
            self.count(1)
        try:
            self.send()
        finally:
            if is_counted:
                self.count(-1)

    def count(self, change):
        with self.counts.get_lock():
            self.counts[0] += change
            self.counts[1] = max(self.counts[1], self.counts[0])

    def send(self):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(asked[1]) if asked and int(asked[1]) < len(self.BODY) else 0
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(self.BODY) - 1}/{len(self.BODY)}")
        self.send_header("ETag", '"slow"')
        self.send_header("Content-Length", str(len(self.BODY) - first))
        self.end_headers()
        for start in range(first, len(self.BODY), self.PART):
            # The client says nothing more: it is readable once it has closed its connection.
            if select.select([self.connection], [], [], 0.1)[0]:
                self.close_connection = True
                return
            self.wfile.write(self.BODY[start:start + self.PART])

    def log_message(self, *_):
        pass


RELAYS = []


def serve(handler, listener):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # It is ended with SIGTERM, for which the script may have a handler of its own.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = HTTPServer(listener.getsockname(), handler, bind_and_activate=False)
    server.socket = listener
    server.serve_forever()


def serve_files(versions, listener):
    Handler.versions = versions
    serve(Handler, listener)


def serve_bad(log, listener):
    BadHandler.log = log
    serve(BadHandler, listener)


def start(versions, addresses):
    """Serves on one free port of all addresses of this machine, in a process of its own."""
    return Origin(*started(serve_files, versions, addresses))


def started(function, value, addresses):
    listener = socket.create_server(("0.0.0.0" if len(addresses) > 1 else addresses[0], 0), backlog=1024)
    process = multiprocessing.Process(target=function, args=(value, listener), daemon=True)
    process.start()
    port = listener.getsockname()[1]
    listener.close()
    return process, port


class BadOrigin(Origin):
    def __init__(self, log, process, port):
        super().__init__(process, port)
        self.log = log

    @property
    def requests(self):
        """Number of requests for /x, which nobody should make."""
        return self.log.value


def bad(addresses):
    log = multiprocessing.Value("i", 0)
    return BadOrigin(log, *started(serve_bad, log, addresses))


def serve_slow(counts, listener):
    SlowHandler.counts = counts
    serve(SlowHandler, listener)


class SlowOrigin(Origin):
    def __init__(self, counts, process, port):
        super().__init__(process, port)
        self.counts = counts

    @property
    def most(self):
        """Largest number of requests at the same time."""
        return self.counts[1]


def slow(addresses):
    counts = multiprocessing.Array("i", 2)
    return SlowOrigin(counts, *started(serve_slow, counts, addresses))


RELAY = """
import socket, sys, threading
port, address = int(sys.argv[1]), sys.argv[2]
def pump(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
def serve(client):
    try:
        server = socket.create_connection((address, port), timeout=10)
    except OSError:
        return client.close()
    server.settimeout(None)
    threading.Thread(target=pump, args=(client, server), daemon=True).start()
    pump(server, client)
with socket.create_server(("127.0.0.1", port), backlog=512) as listener:
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


def forward(namespace, port, address):
    """Makes the port of loopback in a namespace that of an address outside."""
    RELAYS.append(subprocess.Popen(["ip", "netns", "exec", namespace, sys.executable, "-c", RELAY, str(port), address]))
