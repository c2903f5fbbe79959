#!/usr/bin/env python3
"""A person at a terminal: runs a command with a controlling terminal of its own and answers what it asks.

    controlling_terminal.py [QUESTION ANSWER]... -- COMMAND...

Each answer is typed once its question is shown, in this order. Standard output and error stay what they are.
What the terminal showed goes to the file named by BSKYAUTH_TEST_TERMINAL; the status is the command's.
"""
import errno
import fcntl
import os
import pty
import subprocess
import sys
import termios


def main():
    split = sys.argv.index("--")
    script = sys.argv[1:split]
    script = list(zip(script[::2], script[1::2]))
    master, slave = pty.openpty()
    process = subprocess.Popen(
        sys.argv[split + 1 :],
        stdin=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    shown, unanswered = b"", b""
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            chunk = b""
        if not chunk:
            break
        shown += chunk
        unanswered += chunk
        if script and script[0][0].encode() in unanswered:
            os.write(master, script.pop(0)[1].encode() + b"\n")
            unanswered = b""
    if os.environ.get("BSKYAUTH_TEST_TERMINAL"):
        with open(os.environ["BSKYAUTH_TEST_TERMINAL"], "wb") as file:
            file.write(shown)
    status = process.wait()
    sys.exit(status if status >= 0 else 128 - status)


main()
