// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Keeps the memory of a process with secrets out of crash reports.
public enum ProcessHardening {
    /// Disables core dumps and crash backtraces; call it first in `main`.
    ///
    /// On a fatal signal the Swift runtime prints memory around registers; the default action ends
    /// the process without output. No core file is written or piped to a handler, which a size
    /// limit would not prevent. Other programs of this user cannot read the memory.
    public static func apply() {
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = linux_shim_forbid_dumps()
    }

    /// True if the kernel would give this process's memory to a crash handler.
    static var allowsDumps: Bool { linux_shim_allows_dumps() != 0 }
}
