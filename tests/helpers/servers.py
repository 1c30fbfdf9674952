"""Real engines for tests: a throw-away PostgreSQL on loopback, and whether Spark can run here."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest


def absent(what: str) -> None:
    """A missing engine skips a test, but not in CI: there it is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing")


def need_spark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        absent("pyspark")
    if shutil.which("java") is None:
        absent("Java")


class Cluster:
    """A PostgreSQL cluster in a temporary folder. It listens on loopback only, and asks for a password."""

    def __init__(self) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError:
            absent("psycopg")
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        on_path = shutil.which("initdb")
        if not found and not on_path:
            absent("PostgreSQL")
        self.bin = found[-1] if found else Path(str(on_path)).parent
        # Not in pytest's folder: that is closed to the user that runs the server.
        self.folder = folder = Path(tempfile.mkdtemp(prefix="incrowd-postgres-"))
        self.data = folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # initdb refuses to be root; the package brings a user for it.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        (folder / "password").write_text("throw-away")
        (folder / "password").chmod(0o644)
        self._do("initdb", "-D", self.data, "-U", "owner", "-A", "scram-sha-256", f"--pwfile={folder / 'password'}",
                 "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")  # fmt: skip
        self.start()

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c fsync=off -c unix_socket_directories=''"
        self._do("pg_ctl", "-D", self.data, "-o", options, "-l", self.folder / "log", "-w", "-t", "60", "start")

    def stop(self) -> None:
        self._do("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder)

    def execute(self, *statements: str) -> None:
        import psycopg

        with psycopg.connect(**self.owner(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def owner(self) -> dict[str, object]:
        return {"host": "127.0.0.1", "port": self.port, "dbname": "postgres", "user": "owner", "password": "throw-away"}

    def _do(self, program: str, *arguments: object) -> None:
        options = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        done = subprocess.run(
            [self.bin / program, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
