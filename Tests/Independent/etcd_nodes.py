"""Three etcd nodes, each in a network namespace of its own, and links between them that can be cut."""
import os
import subprocess

# The third number: 0 for clients, which are in the namespace of the tests, and 1 for the other nodes.
ADDRESS = "10.9.{}.1{}"
COUNT = 3


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Node:
    def __init__(self, number, folder, certificate, key):
        self.number = number
        self.client, self.peer = ADDRESS.format(0, number), ADDRESS.format(1, number)
        self._link = f"peer{number}"
        self._namespace = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self._namespace.pid}/ns/net") == own:
            assert self._namespace.poll() is None
        self._connect("clients", f"client{number}", self.client)
        self._connect("peers", self._link, self.peer)
        cluster = ",".join(f"node{n}=http://{ADDRESS.format(1, n)}:2380" for n in range(COUNT))
        self._process = subprocess.Popen(
            [
                *self._inside, "etcd", "--name", f"node{number}", "--data-dir", folder / f"node{number}",
                "--listen-client-urls", f"https://{self.client}:2379",
                "--advertise-client-urls", f"https://{self.client}:2379",
                "--listen-peer-urls", f"http://{self.peer}:2380",
                "--initial-advertise-peer-urls", f"http://{self.peer}:2380",
                "--initial-cluster", cluster, "--cert-file", certificate, "--key-file", key,
                "--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )

    @property
    def _inside(self):
        return ["nsenter", f"--net=/proc/{self._namespace.pid}/ns/net"]

    def _connect(self, bridge, link, address):
        ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(self._namespace.pid))
        ip("link", "set", link, "master", bridge, "up")
        for command in (
            ["link", "set", "eth0", "name", bridge], ["address", "add", f"{address}/24", "dev", bridge],
            ["link", "set", bridge, "up"], ["link", "set", "lo", "up"],
        ):
            subprocess.run([*self._inside, "ip", *command], check=True)

    def cut(self):
        """Cuts the node off from the other nodes. Clients still reach it."""
        ip("link", "set", self._link, "down")

    def heal(self):
        ip("link", "set", self._link, "up")

    def stop(self):
        self._process.kill()
        self._process.wait()
        # Before the namespace ends: the kernel removes it and both ends of its links at a time of its own.
        for link in f"client{self.number}", self._link:
            ip("link", "delete", link)
        self._namespace.kill()
        self._namespace.wait()


class Cluster:
    def __init__(self, folder, authority):
        folder.mkdir()
        self._authority = authority.file
        addresses = [ADDRESS.format(0, number) for number in range(COUNT)]
        certificate, key = authority.issue(["etcd.example.com"], addresses, file="etcd")
        for bridge, address in ("clients", "10.9.0.1"), ("peers", "10.9.1.1"):
            ip("link", "add", bridge, "type", "bridge")
            ip("address", "add", f"{address}/24", "dev", bridge)
            ip("link", "set", bridge, "up")
        self.nodes = [Node(number, folder, certificate, key) for number in range(COUNT)]
        for node in self.nodes:
            while not self.answers(node):
                pass

    def answers(self, node):
        """Whether the node is in contact with most of the others."""
        result = subprocess.run(
            ["etcdctl", "--cacert", self._authority, "--endpoints", f"https://{node.client}:2379", "get", "any"],
            env={"PATH": os.environ["PATH"], "ETCDCTL_API": "3"}, capture_output=True,
        )
        return result.returncode == 0

    def url(self, *nodes, prefix="bots"):
        return f"etcd://{','.join(node.client for node in nodes)}/{prefix}"

    def stop(self):
        for node in self.nodes:
            node.stop()
        for bridge in "clients", "peers":
            ip("link", "delete", bridge)
