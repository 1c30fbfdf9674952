"""A real nginx on loopback that ends TLS with a certificate of its own, in front of the servers of a test."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers import absent

NAME = "localhost"
#: Where it connects from: another address than its clients have, so that their word can be told from its own.
PROXY = "127.0.0.2"
#: As the docs say it: what the proxy adds to each request, whatever the client wrote there.
SITE = """
  server {{
    listen 127.0.0.1:{listen} ssl;
    server_name {name};
    location / {{
      proxy_pass http://127.0.0.1:{port};
      proxy_bind {proxy};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }}
  }}
  server {{
    listen 127.0.0.1:{plain};
    server_name {name};
    location / {{
      proxy_pass http://127.0.0.1:{port};
      proxy_bind {proxy};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }}
  }}
"""
WHOLE = """
daemon off;
worker_processes 1;
error_log {folder}/error.log;
pid {folder}/nginx.pid;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  ssl_certificate {folder}/cert.pem;
  ssl_certificate_key {folder}/key.pem;
{sites}
}}
"""


@contextmanager
def proxied(*ports: int) -> Iterator[tuple[str, ...]]:
    """nginx in front of these ports of this machine; gives an https address for each. The servers must trust PROXY.

    Each has a plain http door, too, on the next address that `plain_of` gives: what comes through it must be refused.
    """
    program = shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None)
    if program is None:
        absent("nginx")
    if shutil.which("openssl") is None:
        absent("openssl")
    free = free_ports(2 * len(ports))
    with tempfile.TemporaryDirectory(prefix="incrowd-nginx-") as home:
        folder = Path(home)
        folder.chmod(0o755)
        certificate(folder)
        sites = "".join(
            SITE.format(listen=free[2 * n], plain=free[2 * n + 1], name=NAME, port=port, proxy=PROXY)
            for n, port in enumerate(ports)
        )
        (folder / "nginx.conf").write_text(WHOLE.format(folder=folder, sites=sites))
        command = [str(program), "-p", home, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            _await(free[0], process)
            urls = tuple(f"https://{NAME}:{free[2 * n]}" for n in range(len(ports)))
            _PLAIN.update({url: f"http://{NAME}:{free[2 * n + 1]}" for n, url in enumerate(urls)})
            yield urls
        finally:
            process.terminate()
            process.wait(20)


_PLAIN: dict[str, str] = {}


def plain_of(url: str) -> str:
    """The door without TLS beside an address that `proxied` gave."""
    return _PLAIN[url]


def certificate(folder: Path) -> None:
    """A key and a certificate for this machine, signed by itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


def free_ports(many: int) -> list[int]:
    """So many ports that nobody uses, all different."""
    held = [socket.socket() for _ in range(many)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if process.poll() is not None:
            assert process.stderr is not None
            raise AssertionError(process.stderr.read().decode())
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("nginx does not answer")
