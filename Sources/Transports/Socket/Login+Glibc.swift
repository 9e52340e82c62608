// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The login session of a process, from the kernel.
package enum Login {
    /// Returns the session leader of a process, its start time and the boot id; nil if the kernel
    /// does not report them.
    package static func of(process: Int32) -> String? {
        let leader = getsid(process)
        guard leader >= 0, let boot = ProcessFiles.text("/proc/sys/kernel/random/boot_id"),
            let start = ProcessLine(of: leader)?.start
        else { return nil }
        return "\(boot.split(separator: "\n").first ?? "")/\(leader)/\(start)"
    }
}
