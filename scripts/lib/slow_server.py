#!/usr/bin/env python3
"""Serves a folder on a free loopback port, which it prints, at 200 kB/s per connection, with ranges and validators."""
import http.server
import pathlib
import re
import sys
import time

FOLDER = pathlib.Path(sys.argv[1])
PIECE, PAUSE = 20_000, 0.1


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        file = FOLDER / pathlib.PurePosixPath(self.path).name
        if not file.is_file():
            return self.send_error(404)
        body = file.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(asked[1]) if asked else 0
        last = min(int(asked[2]), len(body) - 1) if asked and asked[2] else len(body) - 1
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
        self.send_header("ETag", f'"{file.stat().st_mtime_ns:x}"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        for start in range(first, last + 1, PIECE):
            self.wfile.write(body[start : min(start + PIECE, last + 1)])
            if last - first > PIECE:
                time.sleep(PAUSE)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that disconnects is not an error."""


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
