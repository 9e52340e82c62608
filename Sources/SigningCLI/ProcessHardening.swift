// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps memory out of dumps: a crash of a process that holds secrets says nothing.
public enum ProcessHardening {
    /// Call it first thing in `main`.
    ///
    /// The Swift runtime answers fatal signals with a backtrace that prints memory around
    /// registers; the default action ends the process without a word. No core file is written.
    public static func apply() {
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
