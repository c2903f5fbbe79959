"""The programs that use the libraries, and what the kernel knows of them."""
import os
import pathlib


def client(name):
    """The file of a program of Tests/Clients."""
    return str(pathlib.Path(os.environ["BSKYAUTH_TEST_CLIENTS"]) / name)


def facts(pid):
    """What a library could change in the process that uses it. Memory, threads and sockets are what it was asked for."""
    process = pathlib.Path("/proc") / str(pid)
    names_of_status = ["Umask", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs", "Seccomp", "CapEff", "CoreDumping"]
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines())
    files = [os.readlink(link) for link in (process / "fd").iterdir()]
    known = {name: status[name] for name in names_of_status}
    # The C library catches signals 32 and 33 as soon as a process has threads.
    known["SigCgt"] = int(known["SigCgt"], 16) & ~(3 << 31)
    for name in ["limits", "environ", "comm", "oom_score_adj", "coredump_filter"]:
        known[name] = (process / name).read_text()
    known["cwd"] = os.readlink(process / "cwd")
    known["children"] = "".join((task / "children").read_text() for task in (process / "task").iterdir())
    known["files"] = sorted(file for file in files if not file.startswith(("socket:", "anon_inode:", "pipe:")))
    return known
