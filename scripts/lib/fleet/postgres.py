"""A PostgreSQL server of its own in a temporary folder. Root hands it over to the user postgres."""
import os
import pathlib
import shutil
import subprocess


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
        self.addresses, self.port = [], 5432
        self._start()
        self.address = f"host={self.folder} dbname=postgres user=postgres"

    def listen(self, addresses):
        """Listens on addresses of its own namespaces too, on a free port."""
        self.addresses = list(addresses)
        if not self.addresses:
            return
        import socket
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '{','.join(self.addresses)}'\nport = {self.port}\n")
        with open(self.data / "pg_hba.conf", "a") as file:
            file.write("host all all 10.213.0.0/16 trust\n")
        self.restart()
        self.address = f"host={self.folder} port={self.port} dbname=postgres user=postgres"

    def address_at(self, address):
        return f"host={address} port={self.port} dbname=postgres user=postgres"

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
        self._as_server("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def rows(self, statement, user=None):
        address = self.address + (f" user={user}" if user else "")
        result = subprocess.run(["psql", address, "-XAtq", "-F", "\t", "-c", statement], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr)
        return [line.split("\t") for line in result.stdout.splitlines()]

    def number(self, statement):
        return int(self.rows(statement)[0][0])
