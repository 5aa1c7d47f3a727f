"""A separate daemon for measurements."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from .machine import FERRY, NotMeasured, say


def processor_clock(pid):
    """Returns the processor-time clock of a process (the kernel's MAKE_PROCESS_CPUCLOCK, CPUCLOCK_SCHED)."""
    return (~pid << 3) | 2


class Daemon:
    """A ferryd with its own FERRY_HOME. A context manager. It is not restarted automatically."""

    def __init__(self, environment):
        self.environment = environment
        self.start()

    def start(self):
        subprocess.run([FERRY, "daemon", "start"], env=self.environment, check=True, stdout=sys.stderr)
        try:
            self._find()
        except BaseException:
            self.stop()
            raise

    def _find(self):
        status = subprocess.run(
            [FERRY, "daemon", "status", "--json"], env=self.environment, check=True, stdout=subprocess.PIPE)
        self.pid = int(json.loads(status.stdout)["pid"])

    def find(self):
        """Finds the daemon that a command has started."""
        self._find()

    def processor_time(self):
        return time.clock_gettime(processor_clock(self.pid))

    def _memory(self):
        try:
            lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        except FileNotFoundError:
            lines = []
        values = {name: int(rest.split()[0]) / 1024 for name, _, rest in (line.partition(":") for line in lines)
                  if name in ("VmHWM", "VmRSS", "RssAnon")}
        if not values:  # it has ended or is ending
            log = pathlib.Path(self.environment["FERRY_HOME"]) / "state/ferryd.log"
            say(f"the daemon died; the end of its log:\n{log.read_text()[-4000:] if log.exists() else ''}")
            raise NotMeasured("the daemon died")
        return values

    def memory(self):
        """Returns resident memory in MiB: the total, and the part that is not file-backed."""
        values = self._memory()
        return values["VmRSS"], values["RssAnon"]

    def peak(self):
        """Returns the peak resident memory in MiB since the last reset."""
        return self._memory()["VmHWM"]

    def reset_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def rest(self, seconds):
        time.sleep(2)
        before, began = self.processor_time(), time.monotonic()
        time.sleep(seconds)
        spent = self.processor_time() - before
        resident, anonymous = self.memory()
        return {"seconds": time.monotonic() - began, "processor": spent, "resident": resident, "anonymous": anonymous}

    def kill(self):
        """Sends SIGKILL and waits for the process to end."""
        descriptor = os.pidfd_open(self.pid)
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            while pathlib.Path(f"/proc/{self.pid}/stat").exists() and \
                    pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.002)
        except (FileNotFoundError, ProcessLookupError):
            pass
        finally:
            os.close(descriptor)

    def stop(self):
        """Stops it with `ferry daemon stop`. Kills it if it does not stop."""
        try:
            subprocess.run([FERRY, "daemon", "stop"], env=self.environment, stdout=sys.stderr, timeout=60)
        except subprocess.TimeoutExpired:
            say("the daemon does not stop")
            self.kill()

    def forget(self):
        """Kills the daemon and removes its state."""
        self.kill()
        shutil.rmtree(self.environment["FERRY_HOME"], ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
