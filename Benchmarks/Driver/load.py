"""Many requests at the same time, by wrk, and nginx to compare with."""
import os
import re
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from measuring import CommandFailed
from network import run

#: A method for which the sandbox checks no proof, so that any program can call it.
QUERY = "com.atproto.server.describeServer"


@dataclass(frozen=True)
class Load:
    """Answered requests a second, seconds of which 99 % took less, and CPU seconds of the server for each."""
    rate: float
    p99: float
    cost: float


def loaded(server, seconds, connections, *options):
    """As many requests as so many connections can carry. The server has an `address` and `cpu`."""
    if not shutil.which("wrk"):
        raise CommandFailed("wrk is missing: apt-get install wrk")
    before = server.cpu
    out = run([
        "wrk", "-t", "1", "-c", str(connections), "-d", f"{max(1, round(seconds))}s", "--latency", *options,
        f"{server.address}/xrpc/{QUERY}"]).decode()
    if "Non-2xx" in out or "Socket errors" in out:
        raise CommandFailed(f"wrk: {out}")
    count, length = re.search(r"(\d+) requests in (\S+),", out).groups()
    (p99,) = re.search(r"\n *99% +(\S+)", out).groups()
    return Load(int(count) / in_seconds(length), in_seconds(p99), (server.cpu - before) / int(count))


def in_seconds(text):
    """A time as wrk writes it."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[unit]


class Nginx:
    """nginx with one worker before the sandbox, with kept connections, which ends with the block."""

    def __init__(self, directory, network, connections):
        directory.mkdir()
        self.directory, self.upstream = directory, network.address.removeprefix("http://")
        self.connections = connections
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.place = "127.0.0.1:{}".format(free.getsockname()[1])
        self.address = f"http://{self.place}"

    def __enter__(self):
        configuration = self.directory / "nginx.conf"
        configuration.write_text(f"""
            daemon off; worker_processes 1; pid {self.directory}/pid;
            events {{}}
            http {{
                access_log off; keepalive_requests 1000000000;
                client_body_temp_path {self.directory}/client; proxy_temp_path {self.directory}/proxy;
                fastcgi_temp_path {self.directory}/fastcgi; uwsgi_temp_path {self.directory}/uwsgi;
                scgi_temp_path {self.directory}/scgi;
                upstream sandbox {{
                    server {self.upstream}; keepalive {self.connections}; keepalive_requests 1000000000;
                }}
                server {{
                    listen {self.place};
                    location / {{
                        proxy_pass http://sandbox; proxy_http_version 1.1;
                        proxy_set_header Connection ""; proxy_set_header Host {self.upstream};
                    }}
                }}
            }}""")
        self.process = subprocess.Popen(["nginx", "-e", self.directory / "errors", "-c", configuration])
        run(["curl", "-sSf", "-o", "/dev/null", "--retry", "100", "--retry-connrefused", "--retry-delay", "1",
             f"{self.address}/xrpc/{QUERY}"])
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        self.worker = int(children.split()[0])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @property
    def cpu(self):
        return cpu_of(self.worker)


def cpu_of(process):
    """Seconds of user and system time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
