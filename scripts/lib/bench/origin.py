"""The test server: nginx with files made on demand, and the relay in front of it."""
import hashlib
import json
import os
import socket
import subprocess
import sys
import time

from .machine import RELAY, free_ports, stop


class Origin:
    """nginx in its own folder, plain and over TLS, with its own certificate authority."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.digests = {}
        self.authority = folder / "authority.pem"
        self._certificates()
        self.port, self.tls_port, self.http2_port = free_ports(3)
        self.plain, self.tls = f"http://127.0.0.1:{self.port}", f"https://localhost:{self.tls_port}"
        self.http2 = f"https://localhost:{self.http2_port}"
        self._start()

    def file(self, name, size):
        """Makes a file of this size without repeated blocks, and stores its SHA-256 in `digests`."""
        if name in self.digests:
            return name
        digest, block = hashlib.sha256(), os.urandom(min(size, 1 << 20))
        with open(self.folder / name, "wb") as file:
            for number in range(-(-size // (1 << 20))):
                part = (number.to_bytes(8, "big") + block[8:])[:size - (number << 20)]
                digest.update(part)
                file.write(part)
            os.fsync(file.fileno())
        self.digests[name] = digest.hexdigest()
        return name

    def files(self, name, count, size):
        """Makes a folder of small files."""
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir()
            for number in range(count):
                (folder / f"{number:06}").write_bytes(os.urandom(size))
            os.sync()
        return name

    def remove(self, name):
        (self.folder / name).unlink()
        del self.digests[name]

    def _certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *curve, "-keyout", "authority.key", "-out", "authority.pem", "-days", "7", "-subj", "/CN=bench")
        openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        (self.folder / "server.ext").write_text(
            "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
                "-days", "7", "-extfile", "server.ext", "-out", "server.pem")

    def _start(self):
        temporary = "".join(f"  {kind}_temp_path {self.folder}/tmp-{kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(f"""\
{'user root;' if os.geteuid() == 0 else ''}
worker_processes 1;
daemon off;
pid {self.folder}/nginx.pid;
error_log {self.folder}/error.log;
events {{ worker_connections 256; }}
http {{
{temporary}  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  server {{
    listen 127.0.0.1:{self.port};
    listen 127.0.0.1:{self.tls_port} ssl;
    listen 127.0.0.1:{self.http2_port} ssl http2;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {self.folder}/server.pem;
    ssl_certificate_key {self.folder}/server.key;
    root {self.folder};
  }}
}}
""")
        self.process = subprocess.Popen(
            ["nginx", "-p", self.folder, "-e", self.folder / "error.log", "-c", self.folder / "nginx.conf"],
            stdin=subprocess.DEVNULL, stdout=sys.stderr)
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.tls_port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    stop(f"nginx did not start: {(self.folder / 'error.log').read_text()}")
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Relay:
    """Runs the relay of Benchmarks/FerryRelay in front of a server. A context manager."""

    def __init__(self, port, *options):
        self.process = subprocess.Popen(
            [RELAY, str(port), *map(str, options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def counts(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)


class Silent:
    """A server that accepts connections and never responds. Connected transfers keep their slots, and the others stay queued."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.socket.getsockname()[1]
        return self

    def first_request(self, began, limit):
        """Returns the seconds from `began` to the first bytes of a request on a newly accepted connection."""
        self.socket.settimeout(max(0.1, began + limit - time.monotonic()))
        try:
            connection, _ = self.socket.accept()
            with connection:
                connection.settimeout(10)
                connection.recv(1)
                return time.monotonic() - began
        except TimeoutError:
            return None

    def drain(self):
        """Closes the pending connections."""
        self.socket.settimeout(0)
        try:
            while True:
                self.socket.accept()[0].close()
        except BlockingIOError:
            pass

    def __exit__(self, *_):
        self.socket.close()
