"""A PostgreSQL server of its own in a temporary folder, with a standby and a pooler. Root hands them over to the user postgres."""
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Server:
    def __init__(self, folder, settings=()):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
        if not versions:
            raise SystemExit("PostgreSQL's server is not installed; on Debian: apt-get install postgresql")
        self.programs, self.folder = versions[-1].parent, folder / "postgres"
        self.folder.mkdir()
        folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.data = self.folder / "data"
        self._as_server("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync")
        lines = [f"unix_socket_directories = '{self.folder}'", "listen_addresses = ''", "max_connections = 200",
                 "shared_buffers = 256MB", "max_wal_size = 2GB", *settings]
        with open(self.data / "postgresql.conf", "a") as file:
            file.write("\n".join(lines) + "\n")
        self.addresses, self.port, self.standby = [], 5432, None
        self._start()
        self.address = self.address_at(self.folder)

    def listen(self, addresses):
        """Listens on addresses of its own namespaces too, on a free port."""
        self.addresses = list(addresses)
        if not self.addresses:
            return
        self.port = free_port()
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '{','.join(self.addresses)}'\nport = {self.port}\n")
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write("host all all 10.213.0.0/16 trust\n")
        self.restart()
        self.address = self.address_at(self.folder)

    def address_at(self, address):
        """The address of the primary: the server's, or its standby's once that is promoted."""
        ports = [self.port] + ([self.standby[1]] if self.standby else [])
        hosts = ",".join([str(address)] * len(ports))
        return f"host={hosts} port={','.join(map(str, ports))} dbname=postgres user=postgres target_session_attrs=primary"

    def add_standby(self):
        """Starts a standby. From now on every commit waits until it is on both."""
        data, port = self.folder / "standby", free_port()
        self._as_server("pg_basebackup", "-D", data, "-R", "-d", f"host={self.folder} port={self.port} user=postgres")
        with open(data / "postgresql.conf", "a") as file:
            file.write(f"port = {port}\nwal_retrieve_retry_interval = 200ms\n")
        self._as_server("pg_ctl", "-D", data, "-l", self.folder / "standby.log", "-w", "start")
        self.rows("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.rows("SELECT pg_reload_conf()")
        self.standby = (data, port)
        self.address = self.address_at(self.folder)

    def fail_over(self):
        """Loses the primary, and promotes the standby."""
        self._as_server("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        (self.data, self.port), self.standby = self.standby, (self.data, self.port)
        self._as_server("pg_ctl", "-D", self.data, "-w", "promote")

    def _as_server(self, program, *words):
        command = [str(self.programs / program), *map(str, words)]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def _start(self):
        self._as_server("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "start")

    def restart(self):
        """Ends it at once, as a crash does, and starts it again."""
        self._as_server("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        self._start()

    def stop(self):
        for data in [self.data] + ([self.standby[0]] if self.standby else []):
            if (data / "postmaster.pid").exists():
                self._as_server("pg_ctl", "-D", data, "-m", "immediate", "stop")

    def rows(self, statement, user=None):
        address = self.address + (f" user={user}" if user else "")
        result = subprocess.run(["psql", address, "-XAtq", "-F", "\t", "-c", statement], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr)
        return [line.split("\t") for line in result.stdout.splitlines()]

    def number(self, statement):
        return int(self.rows(statement)[0][0])


class Pooler:
    """A pgbouncer that shares a few connections to the primary between all clients, a transaction at a time."""

    PROGRAM = next((path for path in ("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer") if os.access(path, os.X_OK)), None)

    def __init__(self, server):
        self.server, self.folder, self.process = server, server.folder / "pooler", None
        self.folder.mkdir()
        (self.folder / "users").write_text('"postgres" ""\n')
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.address = f"host={self.folder} port=6432 dbname=postgres user=postgres"
        self.start()

    def start(self):
        """Starts it, again after the primary has moved."""
        self.stop()
        (self.folder / "settings").write_text(f"""[databases]
postgres = host={self.server.folder} port={self.server.port}
[pgbouncer]
pool_mode = transaction
default_pool_size = 2
unix_socket_dir = {self.folder}
listen_port = 6432
auth_type = trust
auth_file = {self.folder}/users
server_login_retry = 1
""")
        command = [self.PROGRAM, "-q", str(self.folder / "settings")]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(self.folder.parent / "pooler.log", "ab"))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Backups:
    """Dumps the queue again and again, in a thread."""

    def __init__(self, server):
        self.server, self.count, self.is_ended = server, 0, False
        self.thread = threading.Thread(target=self._dump)
        self.thread.start()

    def _dump(self):
        while not self.is_ended:
            command = [str(self.server.programs / "pg_dump"), self.server.address, "-n", "ferry", "-f", "/dev/null"]
            if subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0:
                self.count += 1
            else:
                # The server is being restarted.
                time.sleep(0.2)

    def end(self):
        self.is_ended = True
        self.thread.join()
