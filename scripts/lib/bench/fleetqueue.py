"""A fleet's queue: claims and ends a second, submissions, claims that find nothing, rescue, and memory.

pgbench stands for workers, so that the queue is measured and not they. The database's fsync is on. Figures of a prototype on a
machine with two cores stand beside; they are no bound for another machine.
"""
import multiprocessing
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from fleet import origin, postgres

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Jobs a second of the prototype, in two runs where there were two.
PROTOTYPE = {
    (1, 1): "67 and 48", (1, 16): "1,791 and 522", (1, 100): "3,676 and 2,604", (4, 1): "240", (4, 16): "2,977 and 1,907",
    (4, 100): "12,996", (10, 1): "342 and 445", (10, 16): "4,558 and 2,961", (10, 100): "15,223 and 10,288",
}
ORIGINS, TENANTS = 200, 5

LOAD = """
SET search_path = ferry, public;
INSERT INTO tenants (name) SELECT 't' || i FROM generate_series(2, {tenants}) i;
INSERT INTO origins (name, at_once) SELECT 'https://host' || i || '.example:443', 16 FROM generate_series(1, {origins}) i;
INSERT INTO lines (tenant, origin) SELECT t.tenant, o.origin FROM tenants t, origins o;
WITH j AS (INSERT INTO jobs (id, line) SELECT nextval('job_ids'), 1 + i % {lines} FROM generate_series(1, {rows}) i RETURNING id, line)
INSERT INTO requests (id, tenant, path, url, request, submitted_at)
  SELECT id, 1, '/srv/results/2026/image-' || id || '.bin', 'https://host' || line || '.example/releases/2026/11/image-' || id || '.bin',
    '{{"folder":"/srv/results/2026","name":"image-' || id || '.bin","url":"https://host' || line
      || '.example/releases/2026/11/image-' || id || '.bin"}}', now() FROM j;
ANALYZE jobs; ANALYZE requests; ANALYZE lines; ANALYZE origins; ANALYZE tenants; CHECKPOINT;
"""

# Jobs of many servers, ten each, and none of another test.
HOSTS = """
TRUNCATE ferry.jobs, ferry.requests, ferry.leases, ferry.workers, ferry.lines, ferry.origins;
SET search_path = ferry, public;
INSERT INTO origins (name) SELECT 'https://host' || i || '.example:443' FROM generate_series(1, {hosts}) i;
INSERT INTO lines (tenant, origin) SELECT 1, origin FROM origins;
WITH j AS (INSERT INTO jobs (id, line) SELECT nextval('job_ids'), line FROM lines, generate_series(1, 10) RETURNING id, line)
INSERT INTO requests (id, tenant, path, url, request, submitted_at)
  SELECT id, 1, '/srv/results/' || id, 'https://host' || line || '.example/' || id, '{{}}', now() FROM j;
ANALYZE; CHECKPOINT;
"""

CLAIM = """
\\if :joined
\\else
SELECT worker AS w, epoch AS e FROM ferry.join_fleet('w' || :client_id, 'i' || :client_id, 'm', '1', 600, 64, '{}') \\gset
\\set joined 1
\\endif
SELECT 'ARRAY[' || string_agg(id::text, ',') || ']::bigint[]' AS jobs, 'ARRAY[' || string_agg(quote_literal(token), ',') || ']::uuid[]' AS tokens, 'ARRAY[' || string_agg(fence::text, ',') || ']::int[]' AS fences, count(id) AS n FROM ferry.claim(:w, :e, :want) \\gset
\\if :n > 0
SELECT count(*) FROM ferry.finish(:w, :e, :jobs, :tokens, :fences, array_fill(1::smallint, ARRAY[:n]), array_fill('{}'::text, ARRAY[:n]));
\\endif
"""


def psql(server, statement):
    subprocess.run(["psql", server.address, "-Xq", "-v", "ON_ERROR_STOP=1", "-c", statement], check=True, stdout=subprocess.DEVNULL)


def claims(server, folder, workers, want, seconds):
    script = folder / "claim.sql"
    script.write_text(CLAIM)
    before, start = server.number("SELECT count(*) FROM ferry.ended"), time.monotonic()
    command = [str(server.programs / "pgbench"), server.address, "-n", "-c", str(workers), "-j", "1", "-T", str(seconds),
               "-D", "joined=0", "-D", f"want={want}", "-f", str(script)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode or "aborted" in result.stderr:
        sys.exit(f"bench: pgbench failed: {result.stderr[-1500:]}")
    # Jobs that were claimed at the end of the time have not ended, and count for the next run.
    psql(server, "SELECT ferry.leave(worker, epoch) FROM ferry.workers WHERE state <> 'gone'")
    return (server.number("SELECT count(*) FROM ferry.ended") - before) / (time.monotonic() - start)


def full_claim(server):
    """Milliseconds of a claim where every origin is full."""
    psql(server, "UPDATE ferry.origins SET is_full = true")
    statements = ["SELECT worker AS w, epoch AS e FROM ferry.join_fleet('probe', 'i', 'm', '1', 600, 64, '{}') \\gset", "\\timing on"]
    statements += ["SELECT count(*) FROM ferry.claim(:w, :e, 16);"] * 11
    result = subprocess.run(["psql", server.address, "-Xq"], input="\n".join(statements), capture_output=True, text=True, check=True)
    psql(server, "UPDATE ferry.origins SET is_full = false")
    return statistics.median(float(text) for text in re.findall(r"Time: ([\d.]+) ms", result.stdout))


class Agent:
    def __init__(self, programs, server, folder, name, slots, lease):
        self.home = folder / name
        self.home.mkdir()
        settings = folder / f"{name}.yaml"
        settings.write_text(f'database: "{server.address}"\nlease: {lease}\nslots: {slots}\n')
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "FERRY_HOME": str(self.home),
                            "FERRYD": str(programs / "ferryd"), "FERRY_FLEET_SHORT_LEASES": "1"}
        self.ferry = str(programs / "ferry")
        command = [str(programs / "ferry-fleet"), "run", "--worker", name, "--settings", str(settings)]
        self.process = subprocess.Popen(command, env=self.environment, stderr=open(folder / f"{name}.log", "wb"))

    def memory(self):
        """Peak resident memory in MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) / 1024

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.kill()
        subprocess.run([self.ferry, "daemon", "stop"], env=self.environment, capture_output=True)


def wait_for(what, condition, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"bench: {what} takes more than {limit} s")
        time.sleep(0.05)


class Statements:
    """Counts the statements that clients send, by the server's extension pg_stat_statements."""

    def __init__(self, server):
        self.server = server
        self.begin()

    def begin(self):
        psql(self.server, "ALTER SYSTEM SET pg_stat_statements.track = 'top'")
        psql(self.server, "SELECT pg_reload_conf(); SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()")

    def end(self):
        psql(self.server, "ALTER SYSTEM RESET pg_stat_statements.track")
        psql(self.server, "SELECT pg_reload_conf()")

    def calls(self):
        """Numbers of calls by the function of the queue that they call. Each call is a transaction."""
        rows = self.server.rows("SELECT substring(query FROM 'FROM ferry\\.(\\w+)'), sum(calls) FROM pg_stat_statements WHERE query LIKE 'SELECT * FROM ferry.%' GROUP BY 1")
        return {name: int(count) for name, count in rows}

    def all(self):
        """Number of all statements, those of transactions and settings too."""
        return self.server.number("SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'")


def idle(programs, server, folder, workers, seconds):
    """Transactions a minute of each worker of an idle fleet: heartbeats, and others."""
    agents = [Agent(programs, server, folder, f"idle{workers}-{number}", 8, 30) for number in range(workers)]
    try:
        wait_for("joining", lambda: server.number("SELECT count(*) FROM ferry.workers WHERE state = 'up'") >= workers)
        time.sleep(5)
        statements = Statements(server)
        time.sleep(seconds)
        calls = statements.calls()
        statements.end()
        beats = calls.pop("beat", 0)
        return beats * 60 / seconds / workers, sum(calls.values()) * 60 / seconds / workers
    finally:
        for agent in agents:
            agent.stop()


def job_transactions(programs, server, folder, results, run, count=1000):
    """Transactions and statements of each of many small jobs of one worker, by function."""
    versions = multiprocessing.Array("i", count)
    source = origin.start(versions, ["127.0.0.1"])
    agent = Agent(programs, server, folder, "jobs", 64, 30)
    try:
        wait_for("joining", lambda: server.number("SELECT count(*) FROM ferry.workers WHERE state = 'up'") >= 1)
        statements = Statements(server)
        urls = folder / "job-urls"
        urls.write_text("".join(f"http://127.0.0.1:{source.port}/{number}\n" for number in range(count)))
        run("add", "--quiet", "-i", str(urls), "--to", str(results))
        wait_for("jobs", lambda: server.number("SELECT count(*) FROM ferry.jobs") == 0, 120)
        calls, every = statements.calls(), statements.all()
        statements.end()
        return sum(calls.values()) / count, every / count, calls
    finally:
        agent.stop()
        source.stop()


def rescue(programs, server, folder, lease):
    """Seconds from the kill of a worker until another one has its jobs."""
    # Nobody listens there, so the jobs stay with their workers, between attempts.
    held = "SELECT count(*) FROM ferry.leases l JOIN ferry.workers w USING (worker) WHERE w.name = '{}'"
    lost, other = (Agent(programs, server, folder, f"{name}{lease}", 8, lease) for name in ("lost", "other"))
    try:
        wait_for("joining", lambda: server.number("SELECT count(*) FROM ferry.workers WHERE state = 'up'") >= 2)
        wait_for("a claim", lambda: server.number(held.format(f"lost{lease}")) > 0)
        wait_for("a lease without a gap", lambda: server.number(
            f"SELECT count(*) FROM ferry.workers WHERE name = 'other{lease}' AND beating_since < now() - lease") > 0)
        lost.kill()
        start = time.monotonic()
        wait_for("a rescue", lambda: server.number(held.format(f"lost{lease}")) == 0)
        return time.monotonic() - start
    finally:
        lost.stop()
        other.stop()


def programs():
    """The folder of the optimized programs: FERRY_BIN, or that of this checkout."""
    if folder := os.environ.get("FERRY_BIN"):
        return pathlib.Path(folder).resolve()
    script = 'root=$1; . "$1/scripts/lib/release.bash"; ferry_packages postgresql; ferry_fleet_release'
    subprocess.run(["bash", "-c", "set -e -o pipefail; " + script, "bench", ROOT], check=True)
    return ROOT / ".build/release"


def measure_fleet(options, programs):
    """Prints the figures of a fleet's queue."""
    rows, seconds = (100_000, 1) if options.quick else (1_000_000, 8)
    with tempfile.TemporaryDirectory(prefix="ferry-bench-fleet-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        server = postgres.Server(folder, [
            "fsync = on", "max_wal_size = 8GB", "shared_preload_libraries = 'pg_stat_statements'", "pg_stat_statements.track = 'none'"])
        try:
            results = folder / "results"
            fleet = [str(programs / "ferry-fleet")]
            environment = {"PATH": os.environ["PATH"], "HOME": name, "FERRY_HOME": name}

            def run(*words):
                subprocess.run([*fleet, *words, "--database", server.address], env=environment, check=True, capture_output=True)

            run("init", "--store", str(results))
            psql(server, LOAD.format(tenants=TENANTS, origins=ORIGINS, lines=TENANTS * ORIGINS, rows=rows))
            size = server.number("SELECT pg_total_relation_size('ferry.jobs') + pg_total_relation_size('ferry.requests')") / rows
            print(f"{rows:,} waiting jobs in {TENANTS * ORIGINS:,} lines, {size:.0f} bytes each with its request (prototype: 436)\n")
            print("| workers | at a time | claimed and ended a second | prototype |\n|---|---|---|---|")
            for workers in (1, 4, 10):
                for want in (1, 16, 100):
                    rate = claims(server, folder, workers, want, seconds)
                    print(f"| {workers} | {want} | {rate:,.0f} | {PROTOTYPE[workers, want]} |", flush=True)
            print(f"\na claim that finds all full: {full_claim(server):.1f} ms (prototype: 7 to 49)")
            start = time.monotonic()
            server.rows("SELECT length(ferry.fleet_status())")
            print(f"status: {time.monotonic() - start:.2f} s")
            hosts = 2000 if options.quick else 100_000
            psql(server, HOSTS.format(hosts=hosts))
            start = time.monotonic()
            server.rows("SELECT length(ferry.fleet_status())")
            print(f"status with {10 * hosts:,} jobs of {hosts:,} hosts: {time.monotonic() - start:.2f} s")
            print(f"4 workers that claim 100 at a time of {hosts:,} hosts: {claims(server, folder, 4, 100, seconds):,.0f} jobs a second")
            psql(server, "TRUNCATE ferry.jobs, ferry.requests, ferry.leases, ferry.workers; UPDATE ferry.lines SET is_open = false")
            for workers in (1,) if options.quick else (1, 50):
                beats, others = idle(programs, server, folder, workers, 20 if options.quick else 60)
                print(f"transactions a minute of each of {workers} idle workers: {beats:.1f} heartbeats and {others:.1f} others, "
                      f"{(beats + others) * workers / 60:.1f} a second in all")
                psql(server, "TRUNCATE ferry.workers")
            transactions, statements, calls = job_transactions(programs, server, folder, results, run)
            text = ", ".join(f"{name} {number}" for name, number in sorted(calls.items(), key=lambda call: -call[1]))
            print(f"1,000 jobs of one worker: {transactions:.2f} transactions and {statements:.2f} statements a job ({text})")
            psql(server, "TRUNCATE ferry.workers")
            count = 5000 if options.quick else 100_000
            urls = folder / "urls"
            urls.write_text("".join(f"http://127.0.0.1:9/{number}\n" for number in range(count)))
            start = time.monotonic()
            run("add", "--quiet", "-i", str(urls), "--to", str(results))
            print(f"submission of {count:,} jobs by ferry fleet add: {count / (time.monotonic() - start):,.0f} a second (prototype: 47,600 and 24,500)")
            for lease in (2,) if options.quick else (5, 15):
                print(f"jobs of a killed worker run elsewhere, lease {lease} s: {rescue(programs, server, folder, lease):.1f} s"
                      + (" (prototype: 5.3 to 5.9 s)" if lease == 5 else " (prototype: 11.3 to 14.3 s)" if lease == 15 else ""))
            agent = Agent(programs, server, folder, "memory", 1000, 30)
            try:
                wait_for("1,000 claims", lambda: server.number("SELECT count(*) FROM ferry.leases") >= 1000, 120)
                print(f"memory of ferry-fleet with 1,000 leases: {agent.memory():.0f} MiB")
            finally:
                agent.stop()
        finally:
            server.stop()
