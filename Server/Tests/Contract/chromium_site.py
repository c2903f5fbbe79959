"""nginx with TLS before a server, and Chromium that trusts it. Pages of the test's own are at /app/ of the same origin."""
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "Tests/EndToEndSupport"))
from chromium import Person, trust  # noqa: E402

from parts import certify, free_port  # noqa: E402

#: Another site, which has pages only.
STRANGER = "https://evil.example"

CONFIGURATION = """
pid {0}/pid; error_log {0}/errors; daemon off; {3}
events {{}}
http {{
    access_log off;
    types {{ text/html html; text/javascript js; image/svg+xml svg; }}
    client_body_temp_path {0}/tmp; proxy_temp_path {0}/tmp; fastcgi_temp_path {0}/tmp;
    uwsgi_temp_path {0}/tmp; scgi_temp_path {0}/tmp;
    ssl_certificate {0}/certificate.pem; ssl_certificate_key {0}/key.pem;
    server {{
        listen 127.0.0.1:{1} ssl;
        location / {{ proxy_pass http://127.0.0.1:{2}; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; }}
        location /app/ {{ root {0}/site; }}
    }}
    server {{
        listen 127.0.0.1:{1} ssl; server_name evil.example;
        root {0}/site;
    }}
}}
"""


class Site:
    def __init__(self, folder, server):
        self.folder, self.origin = folder, server.base
        (folder / "site/app").mkdir(parents=True)
        (folder / "tmp").mkdir()
        self.hosts = [server.base.removeprefix("https://"), "evil.example"]
        certify(folder, self.hosts)
        self.port = free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(CONFIGURATION.format(folder, self.port, server.port, user))
        self._process = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors"])
        while not (folder / "pid").exists():
            assert self._process.poll() is None, (folder / "errors").read_text()

    def page(self, name, content):
        """A page at /app/ of both sites."""
        (self.folder / "site/app" / name).write_text(content)

    def stop(self):
        self._process.terminate()
        self._process.wait()


class Chromium(Person):
    def __init__(self, site):
        self.resolver_rules = (
            "".join(f"MAP {host} 127.0.0.1:{site.port}, " for host in site.hosts)
            + "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        home = site.folder / "home"
        if not home.exists():
            trust(site.folder / "certificate.pem", home)
        earlier, os.environ["HOME"] = os.environ["HOME"], str(home)
        try:
            super().__init__(home / "profile", None)
        finally:
            os.environ["HOME"] = earlier
        self.driver.set_script_timeout(60)
        self.origin = site.origin

    def open(self, url):
        self.arrive(lambda: self.driver.get(url))

    def adopt(self, browser):
        """Takes the cookies of a browser that has logged in."""
        self.open(self.origin + "/app/empty.html")
        for name, value in browser.cookies.items():
            self.driver.execute_cdp_cmd("Network.setCookie", {
                "name": name, "value": value, "url": self.origin, "path": "/", "secure": True, "httpOnly": True,
                "sameSite": "Lax"})

    def run(self, script, *arguments):
        """The value that an asynchronous function of the page returns."""
        value = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const given = [...arguments];"
            f"(async () => {{ {script} }})().then(value => done({{value}}), error => done({{error: String(error)}}))",
            *arguments)
        assert "error" not in value, value
        return value["value"]
