"""An origin that misbehaves at random, from a seed, until it is set to be calm. Used by scripts/torture."""
import asyncio
import base64
import hashlib
import logging
import random
import re
import ssl
import time

SIZES = [100, 70_000, 400_000, 2_500_000, 3_000_000, 6_000_000, 9_000_000]

LATE_BYTES = b"late bytes"
# Seconds in which a request and a late response may cross.
CROSSING = 0.01


class Resource:
    def __init__(self, number, seed):
        dice = random.Random(seed * 1000 + number)
        self.number = number
        self.body = dice.randbytes(SIZES[number % len(SIZES)])
        self.digest = hashlib.sha256(self.body).digest()
        self.etag = f'"v{seed}-{number}"'


class Origin:
    """Answers GET of a resource, and POST of a number, which it counts in `posts`.

    `crossed` marks the downloads whose request crossed with a late response.
    """

    def __init__(self, resources, seed, calm, posts, crossed):
        self.resources = resources
        self.dice = random.Random(seed + 1)
        self.calm = calm
        self.posts = posts
        self.crossed = crossed

    async def serve(self, reader, writer):
        late = None
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                if late and time.monotonic() - late < CROSSING and not head.startswith("POST "):
                    # Sent before the client can have seen the late response: to the client, that is the answer.
                    self.crossed[int(head.split(" ", 2)[1].split("/")[2])] = 1
                late = None
                if head.startswith("POST "):
                    length = re.search(r"(?im)^content-length: (\d+)\r?$", head)
                    await reader.readexactly(int(length[1]) if length else 0)
                    goes_on = await self.take_post(head, reader, writer)
                else:
                    goes_on = await self.answer(head, writer)
                if not goes_on:
                    break
                if not self.calm.value and self.dice.random() < 0.1:
                    # A second response that nobody has asked for, once the connection is idle.
                    await asyncio.sleep(0.003)
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + LATE_BYTES)
                    await writer.drain()
                    late = time.monotonic()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def take_post(self, head, reader, writer):
        """Counts a POST. Stays silent, closes or answers."""
        number = int(head.split(" ", 2)[1].split("/")[2])
        with self.posts.get_lock():
            self.posts[number] += 1
        mood = 1.0 if self.calm.value else self.dice.random()
        if mood < 0.3:
            # Until the client closes the connection.
            await reader.read()
            return False
        if mood < 0.4:
            return False
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npaid")
        await writer.drain()
        return True

    async def inform(self, writer):
        """Sends informational responses until the client closes the connection."""
        field = b"X: " + b"x" * self.dice.choice([0, 100, 60_000]) + b"\r\n"
        status = self.dice.choice([b"100 Continue", b"103 Early Hints"])
        while not self.calm.value:
            writer.write(b"HTTP/1.1 " + status + b"\r\n" + field + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)

    async def answer(self, head, writer):
        """Responds to one request. Returns whether the connection stays open."""
        path = head.split(" ", 2)[1]
        resource = self.resources[int(path.split("/")[1]) % len(self.resources)]
        mood = 1.0 if self.calm.value else self.dice.random()
        if mood < 0.06:
            # No success status: these five bytes would be a valid file of the origin.
            status = f"{self.dice.choice([number for number in range(1000) if number // 100 != 2]):03d}"
            length = self.dice.choice(["Content-Length: 5\r\n", "", "Transfer-Encoding: chunked\r\n"])
            writer.write(f"HTTP/1.1 {status} X\r\n{length}\r\nhello".encode())
            await writer.drain()
            return False
        if mood < 0.08:
            return False
        if mood < 0.09:
            await self.inform(writer)
            return False
        if mood < 0.12:
            writer.write(f"HTTP/1.1 307 X\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()
            return True
        first, last, status = 0, len(resource.body) - 1, "200 OK"
        asked = re.search(r"(?im)^range: bytes=(\d+)-(\d*)\r?$", head)
        if asked and int(asked[1]) <= last:
            first = int(asked[1])
            last = min(last, int(asked[2])) if asked[2] else last
            status = "206 Partial Content"
        content = resource.body[first:last + 1]
        fields = [f"ETag: {resource.etag}", f"Content-Length: {len(content)}", "Accept-Ranges: bytes"]
        if status.startswith("206"):
            fields.append(f"Content-Range: bytes {first}-{last}/{len(resource.body)}")
        digest = hashlib.sha256(content).digest()
        states = self.dice.random() < 0.7
        if mood < 0.30:
            # Damaged in transit: the server's digest reveals it.
            states = True
            damaged = bytearray(content)
            for _ in range(self.dice.randint(1, 3)):
                damaged[self.dice.randrange(len(damaged))] ^= 0x40
            content = bytes(damaged)
        elif mood < 0.34:
            states, digest = True, hashlib.sha256(b"another").digest()
        if states:
            fields.append(f"Content-Digest: sha-256=:{base64.b64encode(digest).decode()}:")
        writer.write("\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode())
        sent = self.dice.randrange(len(content)) if 0.25 < mood < 0.5 else len(content)
        for start in range(0, sent, 1 << 16):
            writer.write(content[start:min(sent, start + (1 << 16))])
            await writer.drain()
            # Slow enough for several connections, and for actions during the transfer.
            await asyncio.sleep(0.0 if self.calm.value else 0.002)
        return sent == len(content)


async def run(resources, seed, calm, posts, crossed, certificate, ports):
    origin = Origin(resources, seed, calm, posts, crossed)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    plain = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    secure = await asyncio.start_server(origin.serve, "127.0.0.1", 0, ssl=context)
    ports.put([server.sockets[0].getsockname()[1] for server in (plain, secure)])
    # Clients that close in the middle of a response are expected.
    logging.disable()
    async with plain, secure:
        await asyncio.gather(plain.serve_forever(), secure.serve_forever())


def serve(resources, seed, calm, posts, crossed, certificate, ports):
    """Serves over plain HTTP and over TLS, and puts both ports into the queue."""
    asyncio.run(run(resources, seed, calm, posts, crossed, certificate, ports))
