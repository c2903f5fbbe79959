"""Tries, as hostile code would, to get at an account in other ways than through the proxy's socket. Prints what it got.

It is told the socket, the vault, the program, the serial number of the user's keyring, the name of the vault key there,
and the address of a server.
"""
import ctypes
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys

LINK, SEARCH, READ, PROCESS_KEYRING = 8, 10, 11, -2

proxy, vault, program, keyring, name, server = sys.argv[1:]
keys = ctypes.CDLL("libkeyutils.so.1", use_errno=True)


def answer():
    """What the proxy says of the account."""
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(proxy)
    headers = {"Authorization": "Bearer " + os.environ["BSKYAUTH_PROXY_SECRET"]}
    connection.request("GET", "/xrpc/com.atproto.server.getSession", headers=headers)
    return json.load(connection.getresponse())["handle"]


def accounts():
    command = [program, "accounts", "--json"]
    environment = {"BSKYAUTH_HOME": vault, "PATH": "/usr/bin:/bin", "HOME": "/tmp"}
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    return [account["handle"] for account in json.loads(output)["accounts"]]


def key():
    """The length of the vault key that the kernel gives."""
    keys.keyctl(LINK, int(keyring, 16), PROCESS_KEYRING)
    found = keys.keyctl(SEARCH, int(keyring, 16), b"user", name.encode(), PROCESS_KEYRING)
    content = ctypes.create_string_buffer(256)
    return max(keys.keyctl(READ, found, content, len(content)), 0)


def processes():
    return sorted({path.read_text().strip() for path in pathlib.Path("/proc").glob("[0-9]*/comm")})


def network():
    try:
        socket.create_connection((server, 443), timeout=5).close()
        return True
    except OSError:
        return False


json.dump(
    {
        "answer": answer(), "accounts": accounts(), "files": os.path.exists(vault), "key": key(),
        "processes": processes(), "network": network(), "environment": sorted(os.environ),
    },
    sys.stdout,
)
