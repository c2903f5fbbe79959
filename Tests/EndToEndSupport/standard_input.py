#!/usr/bin/env python3
"""Runs a command with a content as its standard input.

    standard_input.py KIND FILE COMMAND...

KIND says what standard input is: a pipe; a file whose first line was read already (offset); a socket, as Node makes it; a pipe of
another user (foreign, needs root); a terminal; closed; or a pipe where there is no /proc (no-proc, needs root).
"""
import os
import pty
import socket
import subprocess
import sys
import tempfile
import threading


def main():
    kind, command = sys.argv[1], sys.argv[3:]
    with open(sys.argv[2], "rb") as file:
        content = file.read()
    if kind == "closed":
        sys.exit(subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *command]).returncode)
    if kind == "offset":
        file = tempfile.TemporaryFile()
        file.write(b"not this line\n" + content)
        file.flush()
        os.lseek(file.fileno(), len(b"not this line\n"), os.SEEK_SET)
        sys.exit(subprocess.run(command, stdin=file).returncode)
    if kind == "foreign":
        os.seteuid(65534)
        reader, writer = os.pipe()
        os.seteuid(0)
        command = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *command]
    elif kind == "socket":
        ours, theirs = socket.socketpair()
        reader, writer = theirs.detach(), ours.detach()
    elif kind == "terminal":
        writer, reader = pty.openpty()
        # Ctrl-D at the beginning of a line ends the input.
        content = content.rstrip(b"\n") + b"\n\x04"
    else:
        reader, writer = os.pipe()
    if kind == "no-proc":
        script = 'mount --make-rprivate / && mount -t tmpfs none /proc && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", script, "sh", *command]

    def write():
        left = memoryview(content)
        try:
            while left:
                left = left[os.write(writer, left) :]
            if kind != "terminal":
                os.close(writer)
        except BrokenPipeError:
            pass

    process = subprocess.Popen(command, stdin=reader)
    os.close(reader)
    threading.Thread(target=write, daemon=True).start()
    status = process.wait()
    sys.exit(status if status >= 0 else 128 - status)


main()
