"""A static web host: nginx with TLS on port 443, a name of its own, and a log of all requests."""
import os
import re
import select
import shutil
import signal
import socket
import ssl
import subprocess

import names

# The access log has nginx's own form: the whole request line, the referrer and the user agent.
CONFIGURATION = """
user root; pid {0}/pid; error_log {0}/errors;
events {{}}
http {{
    types {{ application/json json; text/html html; }}
    access_log {0}/log;
    client_body_temp_path {0}/tmp; proxy_temp_path {0}/tmp; fastcgi_temp_path {0}/tmp;
    uwsgi_temp_path {0}/tmp; scgi_temp_path {0}/tmp;
    server {{
        listen {1}:443 ssl;
        ssl_certificate {2};
        ssl_certificate_key {3};
        root {0}/site;
        include {0}/site/headers/nginx.conf;
    }}
}}
"""


class StaticSite:
    def __init__(self, directory, authority):
        self._directory = directory
        self._trust = ssl.create_default_context(cafile=authority.file)
        self._certificate = authority.issue([names.SITE], file="site")
        self._is_running = False

    def publish(self, folder):
        """Serves the files of a folder, in place of those with the same names."""
        shutil.copytree(folder, self._directory / "site", dirs_exist_ok=True)
        if not self._is_running:
            self._start()

    def _start(self):
        file = self._directory / "nginx.conf"
        file.write_text(CONFIGURATION.format(self._directory, names.SITE_ADDRESS, *self._certificate))
        subprocess.run(["nginx", "-p", self._directory, "-c", file], check=True)
        # nginx goes to the background once it listens. It loses a signal that comes before its worker has begun.
        with socket.create_connection((names.SITE_ADDRESS, 443)) as connection:
            self._trust.wrap_socket(connection, server_hostname=names.SITE).close()
        self._is_running = True

    def stop(self):
        """Ends the host when it has answered and noted every request."""
        if not self._is_running:
            return
        self._is_running = False
        number = int((self._directory / "pid").read_text())
        process = os.pidfd_open(number)
        signal.pidfd_send_signal(process, signal.SIGQUIT)
        ended, _, _ = select.select([process], [], [], 60)
        assert ended, "nginx does not end"
        os.close(process)

    def log(self):
        """The lines of the log. The host has ended then, because nginx notes a request after its answer."""
        self.stop()
        return (self._directory / "log").read_text().splitlines()


def lines_with(answer, log):
    """The lines of a log that have something of a server's answer to a login: a parameter, the code or the state."""
    secrets = [answer[name] for name in ("code", "state")]
    parameter = re.compile(r"\b(code|state|iss|error)(=|%3d)", re.IGNORECASE)
    return [line for line in log if parameter.search(line) or any(secret in line for secret in secrets)]


def files_with_private_key(folder):
    """The files of a folder that have the private member of a key, or a key in another form."""
    private = re.compile(rb'"d"\s*:|PRIVATE KEY')
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file for file in files if private.search(file.read_bytes())]
