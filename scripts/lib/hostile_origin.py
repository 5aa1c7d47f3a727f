"""An origin that misbehaves at random, from a seed, until it is set to be calm. Used by scripts/torture."""
import asyncio
import base64
import hashlib
import random
import re

SIZES = [100, 70_000, 400_000, 2_500_000, 3_000_000, 6_000_000, 9_000_000]


class Resource:
    def __init__(self, number, seed):
        dice = random.Random(seed * 1000 + number)
        self.number = number
        self.body = dice.randbytes(SIZES[number % len(SIZES)])
        self.digest = hashlib.sha256(self.body).digest()
        self.etag = f'"v{seed}-{number}"'


class Origin:
    def __init__(self, resources, seed, calm):
        self.resources = resources
        self.dice = random.Random(seed + 1)
        self.calm = calm

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if not await self.answer(head.decode("latin-1"), writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

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
        if mood < 0.09:
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


async def run(resources, seed, calm, port):
    origin = Origin(resources, seed, calm)
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    port.put(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


def serve(resources, seed, calm, port):
    asyncio.run(run(resources, seed, calm, port))
