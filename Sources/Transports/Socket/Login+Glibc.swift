// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The login session of a process, from the kernel.
package enum Login {
    private static let bytesMax = 16_384

    /// Returns the session leader of a process, its start time and the boot id; nil if the kernel
    /// does not report them.
    package static func of(process: Int32) -> String? {
        let leader = getsid(process)
        guard leader >= 0, let boot = read("/proc/sys/kernel/random/boot_id"),
            let start = read("/proc/\(leader)/stat").flatMap(startTime)
        else { return nil }
        return "\(boot.split(separator: "\n").first ?? "")/\(leader)/\(start)"
    }

    /// Returns the 22nd field; the second field, a name in parentheses, may contain any characters.
    static func startTime(in stat: String) -> String? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }

    private static func read(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
