// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// The kernel's data about the other end of a socket.
struct PeerFacts: Sendable {
    /// The user at the time of connecting, which is proved.
    let userID: UInt32
    /// The process that connected; nil if it is not visible.
    let process: PeerProcess?

    /// Reads the data; nil if the kernel does not report the user.
    init?(of socket: Int32) {
        // The layout of `struct ucred`.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        let status = unsafe getsockopt(
            socket, SOL_SOCKET, Self.peerCredentials, &credentials, &size)
        guard status == 0, size == MemoryLayout.size(ofValue: credentials) else { return nil }
        userID = credentials.user
        process = credentials.process > 0 ? PeerProcess(credentials.process, at: socket) : nil
    }

    /// The value of Linux's socket option `SO_PEERCRED`, which the Glibc module lacks.
    private static let peerCredentials: Int32 = 17

    /// Returns the peer of a connection; nil for another user.
    static func peer(of socket: Int32, by channel: ChannelName) -> HTTPPeer? {
        guard let facts = PeerFacts(of: socket), facts.userID == geteuid() else { return nil }
        return HTTPPeer(peer: facts.peer(by: channel), process: facts.process?.number ?? 0)
    }

    /// Returns the peer for requests on the socket, with the given channel name.
    func peer(by channel: ChannelName) -> Peer {
        Peer(
            channel: channel, provedUserID: userID, executable: process?.executable,
            unit: process?.unit,
            process: process, processMark: process?.mark)
    }
}

extension HTTPRequest {
    /// Returns the peer of a submission, proved if it has a `credential`.
    ///
    /// A submission that claims the command line is described as the command line describes itself.
    /// Any program of the user can run that, so a false claim gains nothing.
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
                credential: credential, visit: visit, opensCallbacks: submission.opensCallbacks,
                processMark: peer.processMark)
        }
    }
}
