"""Runs test bundles: streams their output, summarizes failures, and ends a run that prints nothing for too long."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Seconds without output after which a run counts as hanging. Each test prints its start and its end.
SILENCE = 600
TOTAL = re.compile(r"Test run with (\d+) tests?")
FAILURE = re.compile(r"recorded an issue|(?:Test|Suite) .* failed after|rror: Exited with unexpected signal")
STARTED = re.compile(r"◇ Test (?!case |run )(.*) started\.$")
ENDED = re.compile(r"[✔✘➜] Test (.*?) (?:with \d+ test cases? )?(?:passed|failed|skipped)")
CASE = "◇ Test case passing "
# Processes of the runs in progress.
RUNNING = set()
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Report:
    """The results read from the lines of a run."""

    def __init__(self):
        self.failures, self.running, self.total, self.count, self.case = [], {}, None, 0, ""

    def read(self, line):
        """Parses a line. Returns whether to show it: the start of each case of a parameterized test is hidden."""
        line = COLOUR.sub("", line.rstrip("\n"))
        if line.startswith(CASE):
            self.case = line
            return False
        if found := TOTAL.search(line):
            self.total, self.count = line, int(found.group(1))
        elif FAILURE.search(line):
            self.failures.append(line)
        if found := STARTED.search(line):
            self.running[found.group(1)] = True
        if found := ENDED.search(line):
            self.running.pop(found.group(1), None)
        return True


class Output:
    """The output of one of several runs: held back until the runs before it have ended."""

    def __init__(self, is_shown):
        self.is_shown, self.held, self.lock = is_shown, [], threading.Lock()

    def write(self, line):
        with self.lock:
            if self.is_shown:
                sys.stdout.write(line if sys.stdout.isatty() else COLOUR.sub("", line))
                sys.stdout.flush()
            else:
                self.held.append(line)

    def show(self):
        with self.lock:
            self.is_shown = True
            sys.stdout.writelines(self.held if sys.stdout.isatty() else (COLOUR.sub("", line) for line in self.held))
            sys.stdout.flush()


def run_beside(bundle, parts, environment):
    """Runs the bundle with several lists of arguments at the same time, one list after the other on the screen. Returns the exit
    status and the report of each.
    """
    results, outputs = [(1, Report()) for _ in parts], [Output(number == 0) for number in range(len(parts))]

    def run_part(number):
        # Sessions cache responses in the user's cache folder. Tests use a separate one, and so does each run. What a test
        # leaves behind goes with the folder for temporary files. Its path is short, because paths of sockets are limited, and
        # other users may enter it, because database servers do not run as root.
        with (tempfile.TemporaryDirectory() as caches,
              tempfile.TemporaryDirectory(prefix="f-", dir="/tmp", ignore_cleanup_errors=True) as files):
            os.chmod(files, 0o755)
            variables = {"XDG_CACHE_HOME": caches, "TMPDIR": files}
            results[number] = run(bundle, parts[number], environment | variables, write=outputs[number].write)

    threads = [threading.Thread(target=run_part, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    try:
        for thread, output in zip(threads, outputs):
            output.show()
            thread.join()
    except KeyboardInterrupt:
        for process in list(RUNNING):
            os.killpg(process.pid, signal.SIGTERM)
        raise
    return results


def run(bundle, arguments, environment, silence=SILENCE, write=Output(True).write):
    """Runs the bundle. Returns its exit status and its report."""
    process = subprocess.Popen(
        [bundle, "--testing-library", "swift-testing", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, env=environment, text=True, errors="replace", start_new_session=True)
    RUNNING.add(process)
    report, last, ended = Report(), [time.monotonic()], threading.Event()

    def end_if_silent():
        while not ended.wait(1):
            if time.monotonic() - last[0] > silence:
                names = ", ".join(report.running) or "no test"
                print(f"test: nothing was printed for {silence} s while these ran: {names}. The run is ended.\n"
                      f"The last case of a table: {report.case}", flush=True)
                os.killpg(process.pid, signal.SIGKILL)
                return

    threading.Thread(target=end_if_silent, daemon=True).start()
    try:
        for line in process.stdout:
            last[0] = time.monotonic()
            if report.read(line):
                write(line)
        return process.wait(), report
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGTERM)
        raise
    finally:
        RUNNING.discard(process)
        ended.set()
