"""Measures URLSession."""
import functools
import json
import subprocess

from .machine import URLSESSION
from .origin import Silent
from .pairs import Side, compare

MIB = 1 << 20


def urlsession(bench):
    """A default URLSession, compared with `ferry get` and Foundation's own, then background tasks one by one."""
    name = bench.origin.file("file", bench.options.size * MIB)
    url = f"{bench.origin.plain}/{name}"
    mine = Side("urlsession", [str(URLSESSION), "download", url, str(bench.file)], ["sync", str(bench.file)])
    with bench.with_daemon() as daemon:
        bench.result["rest"]["just started"] = daemon.rest(bench.options.rest)
        for other in (bench.ferry(url), bench.peer("foundation", url)):
            bench.add(compare(bench, "one connection", mine, other, functools.partial(bench.check, of=name)))
        bench.result["rest"]["after the downloads"] = daemon.rest(bench.options.rest)
        # The first few tasks keep their slots, the others stay queued.
        with Silent() as silent:
            result = subprocess.run([URLSESSION, "tasks", str(bench.options.tasks), f"http://127.0.0.1:{silent.port}/file"],
                                    env=bench.environment, check=True, stdout=subprocess.PIPE)
        bench.result["tasks"] = json.loads(result.stdout)
