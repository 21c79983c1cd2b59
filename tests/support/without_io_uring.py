#!/usr/bin/env python3
"""Runs a command for which the kernel refuses io_uring, as in many containers.

    without_io_uring.py COMMAND [ARGUMENT...]
"""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_NUMBER, IS_AT_LEAST, IS_GREATER, RETURN = 0x20, 0x35, 0x25, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # SECCOMP_RET_ERRNO with EPERM
FIRST, LAST = 425, 427  # io_uring_setup(2), io_uring_enter(2), io_uring_register(2)


def refuse_io_uring():
    """Refuses the system calls of io_uring to this process and to its children."""
    steps = ((LOAD_NUMBER, 0, 0, 0), (IS_AT_LEAST, 0, 2, FIRST), (IS_GREATER, 1, 0, LAST), (RETURN, 0, 0, REFUSE),
             (RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(kept)))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    refuse_io_uring()
    os.execvp(sys.argv[1], sys.argv[1:])
