// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel tells about the process that started this one.
struct CallingProcess {
    /// The program of the parent process.
    let executable: String?
    /// The systemd unit this process runs in.
    let unit: String?
    /// This login: the session leader, when it started, and which boot that was in.
    let session: String?

    private static let bytesMax = 16_384

    init() {
        executable = Self.link("/proc/\(getppid())/exe")
        unit = Self.read("/proc/self/cgroup").flatMap(Self.unit)
        let leader = getsid(0)
        if let boot = Self.read("/proc/sys/kernel/random/boot_id"),
            let start = Self.read("/proc/\(leader)/stat").flatMap(Self.startTime)
        {
            session = "\(boot.split(separator: "\n").first ?? "")/\(leader)/\(start)"
        } else {
            session = nil
        }
    }

    /// The last part of the control group's path that names a unit.
    static func unit(in cgroup: String) -> String? {
        let lines = cgroup.split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("0::") }) else { return nil }
        return line.split(separator: "/").last {
            $0.hasSuffix(".service") || $0.hasSuffix(".scope")
        }.map(String.init)
    }

    /// The 22nd field; the second one, a name in parentheses, may hold anything.
    static func startTime(in stat: String) -> String? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }

    private static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(
            decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func read(_ path: String) -> String? {
        guard let file = Descriptor(opening: path, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe Glibc.read(file.number, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
