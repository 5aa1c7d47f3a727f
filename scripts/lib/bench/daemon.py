"""A daemon of the measurement's own."""
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
    """The clock of all processor time of a process (the kernel's MAKE_PROCESS_CPUCLOCK, CPUCLOCK_SCHED)."""
    return (~pid << 3) | 2


class Daemon:
    """A ferryd in its own FERRY_HOME; a context. It is not started again by itself."""

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
        """Looks for the daemon that a command has started."""
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
        if not values:  # gone, or about to go
            log = pathlib.Path(self.environment["FERRY_HOME"]) / "state/ferryd.log"
            say(f"the daemon died; the end of its log:\n{log.read_text()[-4000:] if log.exists() else ''}")
            raise NotMeasured("the daemon died")
        return values

    def memory(self):
        """Resident memory in MiB, all of it and the part that no file backs."""
        values = self._memory()
        return values["VmRSS"], values["RssAnon"]

    def peak(self):
        """The most resident memory in MiB since the last reset."""
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
        """SIGKILL, and waits until the process is gone."""
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
        """Stops it as people do; one that does not stop is killed."""
        try:
            subprocess.run([FERRY, "daemon", "stop"], env=self.environment, stdout=sys.stderr, timeout=60)
        except subprocess.TimeoutExpired:
            say("the daemon does not stop")
            self.kill()

    def forget(self):
        """Kills the daemon and removes what it remembers."""
        self.kill()
        shutil.rmtree(self.environment["FERRY_HOME"], ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
