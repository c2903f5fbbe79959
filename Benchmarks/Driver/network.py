"""A sandbox network, and the homes of people who use it."""
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from measuring import CommandFailed


SYSTEM_CERTIFICATES = "/etc/ssl/certs"


class Network:
    """A sandbox process, which ends with the block. By default its nonces outlive every row."""

    def __init__(self, program, *options, accounts=("alice.test", "bob.test"), nonce_rotation="12h"):
        self.arguments = [program, "serve", "--auto-approve", "--nonce-rotation", nonce_rotation, *options]
        for account in accounts:
            self.arguments += ["--account", account]

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, text=True)
        announcement = self.process.stdout.readline()
        if not announcement:
            raise CommandFailed("the sandbox did not start")
        self.address = announcement.strip().split("=")[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def steer(self, path, body=None):
        """Requests `/_sandbox/…` of a network without TLS. With a body it is a POST."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.address}/_sandbox/{path}", data) as answer:
            return answer.read().decode()

    def requests_of(self, act):
        """The requests that the sandbox gets during an action, from its journal."""
        self.steer("journal/reset", {})
        act()
        return [json.loads(line) for line in self.steer("journal").splitlines()]


class Authority:
    """A certificate authority for this run, and a certificate for this machine."""

    def __init__(self, room):
        self.certificate, self.key = room / "server.pem", room / "server.key"
        authority = room / "authority.pem"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        openssl = ["openssl", "req", "-x509", *curve]
        run(openssl + ["-subj", "/CN=bskyauth bench", "-keyout", room / "authority.key", "-out", authority])
        run(openssl + [
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
            "-addext", "basicConstraints=critical,CA:FALSE", "-CA", authority, "-CAkey", room / "authority.key",
            "-keyout", self.key, "-out", self.certificate])
        # Added to a copy of the machine's certificates, which only a mount namespace sees.
        self.directory = room / "certificates"
        shutil.copytree(SYSTEM_CERTIFICATES, self.directory, symlinks=True)
        shutil.copy(authority, self.directory)
        name = run(["openssl", "x509", "-noout", "-hash", "-in", authority]).decode().strip()
        (self.directory / f"{name}.0").symlink_to(authority.name)
        bundle = self.directory / "ca-certificates.crt"
        certificates = bundle.read_bytes()
        bundle.unlink()  # it may be a link to the machine's own bundle
        bundle.write_bytes(certificates + authority.read_bytes())

    @property
    def namespace(self):
        """The command line prefix that runs a command with these certificates as the machine's."""
        mount = f'mount --bind "$0" {SYSTEM_CERTIFICATES} && exec "$@"'
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(self.directory)]

    @property
    def options(self):
        return ["--tls-cert", str(self.certificate), "--tls-key", str(self.key)]


class Home:
    """A person with a vault. Every command is a new process without the caller's environment."""

    def __init__(self, program, directory, network, key=None, namespace=(), **variables):
        self.program = str(program)
        self.namespace = list(namespace)
        self.directory = directory
        directory.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(directory),
            "BSKYAUTH_HOME": str(directory / "vault"),
            "XDG_CACHE_HOME": str(directory / "cache"),
            "BSKYAUTH_DEV_NETWORK": network.address,
            "BSKYAUTH_NO_INPUT": "1",
            "BSKYAUTH_BROWSER": "curl -sSL -o /dev/null",
        } | (key or {"BSKYAUTH_KEY_FILE": str(directory / "key")}) | variables

    def command(self, *arguments):
        return [self.program, *arguments]

    def run(self, *arguments):
        """Runs one command, which has to succeed, and returns its output."""
        return run(self.namespace + self.command(*arguments), self.environment)

    def log_in(self, *handles):
        for handle in handles:
            self.run("login", handle)

    def without(self, variable):
        return {name: value for name, value in self.environment.items() if name != variable}

    def headers(self, method, url, name="headers"):
        """A file with the headers of one request, which can be used once."""
        file = self.directory / name
        file.write_bytes(self.run("token", "--dpop", method, url))
        return f"@{file}"


def run(command, environment=None):
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise CommandFailed(f"{words} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout
