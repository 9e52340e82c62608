# SPDX-License-Identifier: Apache-2.0
"""The preloaded library that counts the calls of a program and makes one of them fail (calls.c)."""
import mmap
import os
import pathlib
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("calls.c")
COUNT, KILL, FAIL, FILL = range(4)


def build(folder):
    """Compiles the library into `folder` and returns its path."""
    library = os.path.join(folder, "calls.so")
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, str(SOURCE), "-ldl"],
        check=True)
    return library


class Calls:
    """The state that the library and this process share, for one run of one program."""

    layout = struct.Struct("=iiqqq")

    def __init__(self, library, folder, mode=COUNT, at=0, trace=None, is_armed=True):
        """`folder` is the one whose files matter; `at` is the number of a call, from 1."""
        self.path = f"{folder}.state"
        pathlib.Path(self.path).write_bytes(self.layout.pack(is_armed, mode, at, 0, 0))
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), self.layout.size)
        self.environment = {
            **os.environ, "LD_PRELOAD": library, "CRASH_STATE": self.path, "CRASH_FOLDER": str(folder)}
        if trace is not None:
            self.environment["CRASH_TRACE"] = str(trace)

    before = 0

    def arm(self):
        """Begins to count, or notes how many calls a trace has already."""
        self.before = self.count
        self.memory[0:4] = struct.pack("=i", 1)

    @property
    def count(self):
        return self.layout.unpack(self.memory[:])[3]

    @property
    def is_hit(self):
        """True if the fault happened."""
        return self.layout.unpack(self.memory[:])[4] != 0


def read_trace(path):
    """Returns the calls of a trace, as tuples of kind, offset, path, second path and data."""
    data, place, calls = pathlib.Path(path).read_bytes(), 0, []
    while place < len(data):
        end = data.index(b"\n", place)
        kind, offset, size, name, to = data[place:end].decode().split("\t")
        place = end + 1 + int(size)
        calls.append((kind, int(offset), name, to, data[end + 1:place]))
    return calls
