#!/usr/bin/env python3
"""A person at a terminal: runs a program on a pseudo-terminal of its own and types when it asks.

terminal.py COLUMNS STEPS PROGRAM ARGUMENT...: STEPS is a JSON array of {"await": TEXT, then one of
"type": TEXT, "press": TEXT (without Enter), "paste": true (the redirect URL of a browser that accepted),
"interrupt": true (Ctrl-C)}. Prints a JSON object: screen (all that was written), displays (the lines a person saw
when each step's text had appeared, and at the end), status, signal, echoed (was echo on at each step), echo (is it
on at the end), restored (are all modes what they were), steps_left.
"""
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import struct
import sys
import tempfile
import termios

import pyte  # Debian's python3-pyte

ROWS = 24


def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def redirect(screen):
    """Lets the browser accept, and gives the URL it ended on."""
    url = re.search(r"https?://\S+/oauth/authorize\S+", screen).group(0)
    with tempfile.NamedTemporaryFile("r") as file:
        environment = dict(
            os.environ, BSKYAUTH_TEST_BROWSER="accept keep", BSKYAUTH_TEST_REDIRECT=file.name
        )
        browser = os.path.join(os.path.dirname(os.path.abspath(__file__)), "browser.py")
        subprocess.run([sys.executable, browser, url], env=environment, check=True)
        return file.read()


def display(screen, columns):
    """What a person sees, without the empty lines at the end. Wide characters are followed by nothing."""
    terminal = pyte.Screen(columns, ROWS)
    pyte.Stream(terminal).feed(screen)
    lines = [line.rstrip() for line in terminal.display]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def main():
    columns, steps, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    signal.alarm(120)  # a program that never asks what was expected must not hang the tests
    # Both ends stay open here, so that the terminal outlives the program and can be looked at.
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    modes = termios.tcgetattr(terminal)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        for descriptor in range(3):
            os.dup2(terminal, descriptor)
        signal.alarm(0)
        os.execv(command[0], command)
    ended = os.pidfd_open(child)
    screen, seen, echoed, displays = "", 0, [], []
    while True:
        over = ended in select.select([master, ended], [], [])[0]
        # Looked at once more: one call may find the terminal empty and then the program ended, which wrote between.
        readable = bool(select.select([master], [], [], 0)[0])
        if readable:
            screen += os.read(master, 65536).decode(errors="replace")
        while steps:
            found = screen.find(steps[0]["await"], seen)
            if found < 0:
                break
            step = steps.pop(0)
            seen = found + len(step["await"])
            if "echo" in step:
                # The question is written before the echo is turned off.
                while echoes(terminal) != step["echo"]:
                    pass
            echoed.append(echoes(terminal))
            displays.append(display(screen[:seen], columns))
            if step.get("interrupt"):
                os.write(master, b"\x03")
            elif step.get("paste"):
                os.write(master, redirect(screen).encode() + b"\n")
            elif "press" in step:
                os.write(master, step["press"].encode())
            else:
                os.write(master, step["type"].encode() + b"\n")
        if over and not readable:
            break
    status = os.waitpid(child, 0)[1]
    result = {
        "screen": screen,
        "displays": displays + [display(screen, columns)],
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "echoed": echoed,
        "echo": echoes(terminal),
        "restored": termios.tcgetattr(terminal) == modes,
        "steps_left": len(steps),
    }
    print(json.dumps(result))


main()
