"""Measures session managers of Ferry with many tasks."""
import json
import socket
import statistics
import subprocess

from .daemon import Daemon
from .machine import MANAGER, environment, say, stop

# Bounds: seconds of a call for all of 10,000 tasks, seconds for which the main queue may be blocked, bytes of a manager.
CALLS = {"multiDownload": 1.0, "totalSuspend": 0.3, "totalStart": 0.3, "totalCancel": 0.3}
SINGLES = {"multiDownload": "download", "totalSuspend": "suspend", "totalStart": "start", "totalCancel": "cancel"}
BLOCKED, CREATION, MANAGER_MEMORY = 0.016, 1.0, 64 << 20


def measure_manager(options, folder):
    surroundings = environment(folder)
    cache = str(folder / "cache")

    def run(*words):
        return json.loads(subprocess.run(
            [MANAGER, *words], env=surroundings, check=True, stdout=subprocess.PIPE, text=True).stdout)

    daemon = Daemon(surroundings)
    try:
        # A server that never responds: the first few tasks keep their slots, the others stay queued.
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/file"
            say(f"calls for {options.tasks} tasks")
            batches = run("batches", str(options.tasks), url, cache)
            say("managers of the tasks that are stored")
            creations = [run("creation", cache) for _ in range(options.pairs)]
        return {"batches": batches, "creations": creations, "daemon_memory": daemon.memory()}
    finally:
        daemon.stop()


def report_manager(options, result):
    """Prints one table. Returns whether all bounds are met."""
    batches, scale = result["batches"], options.tasks / 10000
    if options.json:
        print(json.dumps(result, indent=2))
    rows, held = [], True

    def milliseconds(seconds, bound=None):
        nonlocal held
        text = f"{seconds * 1000:.1f} ms"
        if bound is not None and seconds > bound:
            held = False
            text += f" (bound {bound * 1000:.0f} ms)"
        return text

    for call, bound in CALLS.items():
        one, main = batches[call], batches[call + "_on_main"]
        single = batches[SINGLES[call]]
        # A download returns once it is stored. On the main queue it may take as long as on another.
        blocked = None if call == "multiDownload" else BLOCKED
        rows.append([
            call, milliseconds(one["seconds"], bound * scale), milliseconds(single["seconds"]),
            f"{single['seconds'] / max(one['seconds'], 1e-9):.0f}", milliseconds(one["main"], BLOCKED),
            milliseconds(main["seconds"], bound * scale), milliseconds(main["main"], blocked)])
    creation = statistics.median(each["seconds"] for each in result["creations"])
    memory = statistics.median(each["memory"] for each in result["creations"])
    if any(each["tasks"] != options.tasks for each in result["creations"]):
        stop("a manager does not have all tasks")
    held = held and memory <= MANAGER_MEMORY
    if not options.json:
        print(f"\n{options.tasks} tasks of one manager\n")
        print("| call | for all | one by one | ratio | main queue blocked | called on main: for all | main queue blocked |")
        print("|---|---|---|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(row) + " |")
        print(f"| a manager of the stored tasks | {milliseconds(creation, CREATION * scale)} | | | | | |")
        print(f"\nMemory not file-backed: {memory / 2**20:.1f} MiB of the manager, {result['daemon_memory'][1]:.1f} MiB of the daemon")
    else:
        milliseconds(creation, CREATION * scale)
    return held
