// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// What the kernel tells of the other end of a socket.
struct PeerFacts: Sendable {
    /// The user it ran as when it connected, which is proved.
    let userID: UInt32
    /// The process that connected; nil where it is in no sight.
    let process: PeerProcess?

    /// Reads them; nil where the kernel does not tell the user.
    init?(of socket: Int32) {
        // As `struct ucred`.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        let status = unsafe getsockopt(
            socket, SOL_SOCKET, Self.peerCredentials, &credentials, &size)
        guard status == 0, size == MemoryLayout.size(ofValue: credentials) else { return nil }
        userID = credentials.user
        process = credentials.process > 0 ? PeerProcess(credentials.process, at: socket) : nil
    }

    /// `SO_PEERCRED`.
    private static let peerCredentials: Int32 = 17

    /// Who comes by a connection; nil for another user.
    static func peer(of socket: Int32, by channel: ChannelName) -> HTTPPeer? {
        guard let facts = PeerFacts(of: socket), facts.userID == geteuid() else { return nil }
        return HTTPPeer(peer: facts.peer(by: channel), process: facts.process?.number ?? 0)
    }

    /// Who asks by such a connection.
    func peer(by channel: ChannelName) -> Peer {
        Peer(
            channel: channel, provedUserID: userID, executable: process?.executable,
            unit: process?.unit,
            process: process, processMark: process?.mark)
    }
}

extension HTTPRequest {
    /// Whom a submission comes from, who is proved to be somebody where it has a `credential`.
    ///
    /// One that says to come from the command line is told of as the command line tells of it: any
    /// program of the user can start that, so nothing is won by saying so.
    func peer(of submission: Submission, _ credential: Credential?) -> Peer {
        let visit: PageVisit? = submission.isByLink ? .link : nil
        return switch submission.channel {
        case .socket:
            Peer(
                channel: peer.channel, provedUserID: peer.provedUserID, executable: peer.executable,
                unit: peer.unit, process: peer.process, login: peer.login,
                claim: submission.client, credential: credential, visit: visit,
                processMark: peer.processMark)
        case .commandLine:
            Peer(
                channel: .commandLine, provedUserID: peer.provedUserID,
                login: process > 0 ? Login.of(process: process) : nil, claim: submission.client,
                credential: credential, visit: visit, processMark: peer.processMark)
        }
    }
}
