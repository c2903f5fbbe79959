"""Real parts of a network: a certification authority, dnsmasq, the sandbox behind TLS, and a trap."""
import datetime
import http.client
import http.server
import ipaddress
import json
import selectors
import socket
import ssl
import subprocess
import threading

import dns.message
import dns.rcode
import dns.rrset
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

import names


class Authority:
    """A certification authority of our own."""

    def __init__(self, directory):
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.file = directory / "ca.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A CA of a test")])
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False,
        )
        certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, hosts, addresses=(), file="server"):
        """A certificate and its key, as files."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives = [x509.DNSName(host) for host in hosts]
        alternatives += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
        certificate = (
            self._builder(name, key)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        files = self.directory / f"{file}.pem", self.directory / f"{file}.key"
        files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return files

    def _builder(self, name, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )


class Resolver:
    """dnsmasq, with exactly the records it is given; every other name does not exist."""

    def __init__(self, directory, address=names.RESOLVER, port=53):
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self.address, self.port = address, port
        self.addresses, self.texts = {}, {}
        self._process = None

    def start(self):
        """Starts it, or starts it over with other records."""
        self.stop()
        lines = [
            "no-resolv", "no-hosts", "bind-interfaces", "keep-in-foreground", "user=root", "log-facility=-",
            "conf-dir=", "local=/com/directory/", f"listen-address={self.address}", f"port={self.port}",
            f"pid-file={self.directory / 'dnsmasq.pid'}",
        ]
        for host, addresses in self.addresses.items():
            lines += [f"host-record={host},{address}" for address in addresses]
        for name, texts in self.texts.items():
            lines += [f"txt-record={name},{text}" for text in texts]
        file = self.directory / "dnsmasq.conf"
        file.write_text("\n".join(line for line in lines if not line.endswith("=")) + "\n")
        self._process = subprocess.Popen(
            ["dnsmasq", f"--conf-file={file}"], stderr=subprocess.PIPE, text=True
        )
        for line in self._process.stderr:
            if "started" in line:
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        raise RuntimeError("dnsmasq did not start")

    def stop(self):
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._process = None


class SecureResolver:
    """DNS over https (RFC 8484) at a port of this machine, with dnspython to read and write the messages."""

    def __init__(self, authority):
        self.texts = {}
        self.requests = []
        #: Changes the answer before it goes out: takes status, fields and body, returns the same.
        self.amend = lambda *answer: answer
        #: The response code of every answer; the truth where it is None.
        self.code = None
        resolver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status, fields, answer = resolver.amend(*resolver.answer(self.path, self.headers, body))
                self.send_response(status)
                for name, value in {**fields, "content-length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(["localhost"], file="resolver"))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://localhost:{self._server.server_port}/dns-query"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, path, headers, body):
        query = dns.message.from_wire(body)
        (question,) = query.question
        name = question.name.to_text(omit_final_dot=True)
        self.requests.append((path, headers["accept"], headers["content-type"], query.id, name))
        response = dns.message.make_response(query, recursion_available=True)
        texts = self.texts.get(name)
        if self.code is not None:
            response.set_rcode(self.code)
        elif texts is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        else:
            response.answer.append(dns.rrset.from_text(question.name, 60, "IN", "TXT", *texts))
        return 200, {"content-type": "application/dns-message"}, response.to_wire()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class Sandbox:
    """The sandbox network, serving https on port 443 through nginx under the names of a real one."""

    def __init__(self, program, authority, options=()):
        hosts = [names.ENTRYWAY, names.PDS, names.DIRECTORY, f"*.{names.DOMAIN}"]
        self.certificate, self.key = authority.issue(hosts, [names.SERVERS])
        self._trust = ssl.create_default_context(cafile=authority.file)
        self._process = subprocess.Popen(
            [
                program, "serve", "--host", names.SERVERS, "--port", "443",
                "--tls-cert", self.certificate, "--tls-key", self.key,
                "--origin", f"as={names.ISSUER}", "--origin", f"pds={names.PDS_ORIGIN}",
                "--origin", f"plc=https://{names.DIRECTORY}",
                "--client-ca", authority.file, "--account", names.ALICE, "--account", names.BOB,
                *options,
            ],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        if not self._process.stdout.readline():
            raise RuntimeError("the sandbox did not start")
        self.control("POST", "accounts", {"handle": names.CAROL, "did": names.CAROL_DID})
        accounts = json.loads(self.control("GET", "accounts"))["accounts"]
        self.dids = {account["handle"]: account["did"] for account in accounts}

    def control(self, method, path, body=None):
        """One request to what steers the sandbox."""
        connection = http.client.HTTPSConnection(names.SERVERS, context=self._trust, timeout=600)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, "/_sandbox/" + path, text, {"content-type": "application/json"})
            answer = connection.getresponse()
            content = answer.read().decode()
            assert answer.status == 200, content
            return content
        finally:
            connection.close()

    def journal(self):
        return [json.loads(line) for line in self.control("GET", "journal").splitlines()]

    def amend(self, pointer, value, **match):
        """Has a JSON document of the sandbox say something else."""
        self.fault({"amend": {"set": {pointer: value}}}, **match)

    def fault(self, action, **match):
        self.control("POST", "faults", [{"match": match, "action": action}])

    def stop(self):
        self._process.terminate()
        self._process.wait()


class Trap:
    """Listens on the addresses that nothing may connect to, and writes down what does."""

    def __init__(self):
        self.visits = []
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        for address in names.INSIDE:
            for port in (80, 443):
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                listener = socket.create_server((address, port), family=family)
                self._selector.register(listener, selectors.EVENT_READ, address)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    return
                key.fileobj.accept()[0].close()
                self.visits.append(key.data)

    def stop(self):
        if not self._thread.is_alive():
            return
        self._wake.send(b"x")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._wake.close()
        self._selector.close()


class Network:
    """All of it, with the records of the accounts in DNS."""

    def __init__(self, sandbox_program, directory, options=()):
        self.authority = Authority(directory / "ca")
        self.sandbox = Sandbox(sandbox_program, self.authority, options)
        self.resolver = Resolver(directory / "dns")
        hosts = [names.ENTRYWAY, names.PDS, names.DIRECTORY, names.BOB, names.CAROL]
        self.resolver.addresses = {host: [names.SERVERS] for host in hosts}
        self.resolver.addresses[names.SITE] = [names.SITE_ADDRESS]
        self.resolver.texts = {f"_atproto.{names.ALICE}": [f"did={self.did(names.ALICE)}"]}
        self.resolver.start()

    def did(self, handle):
        return self.sandbox.dids[handle]

    def stop(self):
        self.resolver.stop()
        self.sandbox.stop()
