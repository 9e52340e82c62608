// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension ProcessHardening {
    /// Prepares a process that keeps serving: raises its descriptor limit and makes its files
    /// private.
    static func settleIn() {
        // The process name does not depend on the link that started it.
        _ = unsafe linux_shim_name_process("countersign")
        umask(0o077)
        // A client that leaves before its answer must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // The agent handles this signal once it has a lock to close.
        signal(SIGUSR1, SIG_IGN)
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(descriptors, &limit)
    }
}
