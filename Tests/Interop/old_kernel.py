# SPDX-License-Identifier: Apache-2.0
"""A simulated kernel without seccomp or Landlock: their system calls return ENOSYS."""
import ctypes
import errno
import platform
import struct

CALLS = {"seccomp": {"x86_64": 317, "aarch64": 277}[platform.machine()], "landlock": 444}


def without(*names):
    """Returns a function for `preexec_fn`: the started program lacks these system calls."""
    load, equal, give = 0x20, 0x15, 0x06
    steps = [(load, 0, 0, 0)]
    for name in names:
        steps += [(equal, 0, 1, CALLS[name]), (give, 0, 0, 0x00050000 | errno.ENOSYS)]
    steps.append((give, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)

    def enter():
        no_new_privileges, set_filter, mode = 38, 22, 2
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, mode, program, 0, 0):
            raise OSError(ctypes.get_errno(), "no filter")
    enter.kept = code, program
    return enter
