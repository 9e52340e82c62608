// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Keeps memory out of dumps: a crash of a process that holds secrets says nothing.
public enum ProcessHardening {
    /// Call it first thing in `main`.
    ///
    /// The Swift runtime answers fatal signals with a backtrace that prints memory around
    /// registers; the default action ends the process without a word. No core file is written,
    /// nor piped to a handler, whom a limit of its size does not stop; and no other program of
    /// this user may read the memory.
    public static func apply() {
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = linux_shim_forbid_dumps()
    }

    /// Whether the kernel would hand this process's memory to whoever handles crashes.
    static var allowsDumps: Bool { linux_shim_allows_dumps() != 0 }
}
