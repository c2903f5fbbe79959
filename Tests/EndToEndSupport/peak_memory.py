#!/usr/bin/env python3
"""Runs a program and tells how much memory it held at most.

peak_memory.py FILE PROGRAM ARGUMENT...: writes the bytes to FILE, and ends as the program does. A small process has
to be the parent: until it is the program, a child counts what its parent holds.
"""
import os
import resource
import sys

child = os.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
status = os.waitpid(child, 0)[1]
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(os.waitstatus_to_exitcode(status))
