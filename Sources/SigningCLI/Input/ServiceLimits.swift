// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension ProcessHardening {
    /// For a process that stays and serves: as many descriptors as it may have, and files for
    /// their owner alone.
    static func settleIn() {
        // Whatever link it was started by.
        _ = unsafe linux_shim_name_process("countersign")
        umask(0o077)
        // A client that leaves before its answer came is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        // It asks for the lock as soon as there is one.
        signal(SIGUSR1, SIG_IGN)
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(descriptors, &limit)
    }
}
