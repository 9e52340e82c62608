// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningService

/// What the kernel tells about the login that this process belongs to.
struct CallingProcess {
    /// This login: the session leader, when it started, and which boot that was in.
    let login: String?

    private static let bytesMax = 16_384

    init() {
        let leader = getsid(0)
        if let boot = Self.read("/proc/sys/kernel/random/boot_id"),
            let start = Self.read("/proc/\(leader)/stat").flatMap(Self.startTime)
        {
            login = "\(boot.split(separator: "\n").first ?? "")/\(leader)/\(start)"
        } else {
            login = nil
        }
    }

    /// The 22nd field; the second one, a name in parentheses, may hold anything.
    static func startTime(in stat: String) -> String? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }

    private static func read(_ path: String) -> String? {
        guard let file = Descriptor(opening: path, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe Glibc.read(file.number, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
