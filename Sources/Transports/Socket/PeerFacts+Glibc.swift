// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore

/// What the kernel tells of the process at the other end of a socket.
struct PeerFacts: Sendable {
    /// The user it ran as when it connected, which is proved.
    let userID: UInt32
    /// The process that connected, as long as it lives.
    let process: Int32
    /// What it runs, which describes: any program of the user can be made to run another.
    let executable: String?
    /// The systemd unit it is in, which describes as well.
    let unit: String?

    /// Reads them; nil where the kernel does not tell the user.
    init?(of socket: Int32) {
        // As `struct ucred`.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        let status = unsafe getsockopt(
            socket, SOL_SOCKET, Self.peerCredentials, &credentials, &size)
        guard status == 0, size == MemoryLayout.size(ofValue: credentials) else { return nil }
        userID = credentials.user
        process = credentials.process
        let folder = "/proc/\(credentials.process)"
        executable = credentials.process > 0 ? Self.link("\(folder)/exe") : nil
        unit = credentials.process > 0 ? Self.text("\(folder)/cgroup").flatMap(Self.unit) : nil
    }

    /// `SO_PEERCRED`.
    private static let peerCredentials: Int32 = 17
    private static let pathBytesMax = 4_096

    /// The last part of the control group of the unified hierarchy, where it is a unit's.
    static func unit(in groups: String) -> String? {
        guard let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") }),
            let last = line.split(separator: "/").last
        else { return nil }
        let isUnit = [".service", ".scope", ".slice"].contains { last.hasSuffix($0) }
        return isUnit ? String(last) : nil
    }

    private static func link(_ path: String) -> String? {
        var bytes = [Int8](repeating: 0, count: pathBytesMax)
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: pathBytesMax)
        let count = unsafe read(file, &bytes, bytes.count)
        return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
    }

    /// Who asks by such a connection.
    func peer(by door: Door) -> Peer {
        Peer(door: door, provedUserID: userID, executable: executable, unit: unit)
    }
}

extension Peer {
    /// The same, by the name that it gives itself.
    package func claiming(_ claim: String?) -> Peer {
        Peer(
            door: door, provedUserID: provedUserID, executable: executable, unit: unit,
            login: login, claim: claim)
    }
}

extension HTTPRequest {
    /// Whom a submission comes from.
    ///
    /// One that says to come from the command line is told of as the command line tells of it: any
    /// program of the user can start that, so nothing is won by saying so.
    package func peer(of submission: Submission) -> Peer {
        switch submission.channel {
        case .socket: peer.claiming(submission.client)
        case .commandLine:
            Peer(
                door: .commandLine, provedUserID: peer.provedUserID,
                login: process > 0 ? Login.of(process: process) : nil, claim: submission.client)
        }
    }
}
