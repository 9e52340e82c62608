// SPDX-License-Identifier: Apache-2.0

/// The sender of a frame, with separate properties that are proved, that describe, or are claimed.
///
/// Only transports create peers. Rules, limits and grants use no other name of the client than that
/// from `client(by:)`.
public struct Peer: Hashable, Sendable {
    /// The channel of the request.
    public let channel: ChannelName
    /// The user id that the kernel reports; nil if the kernel is not involved.
    public let provedUserID: UInt32?
    /// The program that the kernel reports; nil if it reports none.
    ///
    /// It is no proof, as any program of the user can be made to run another.
    public let executable: String?
    /// The systemd unit of the program, which is no proof either; nil outside of units.
    public let unit: String?
    /// Further data of the kernel about the program, which is no proof either.
    public var process: (any ClientProcess)? { uncompared.process }
    /// A unique mark of the process at the other end, from the kernel; nil if absent.
    ///
    /// It is used for counting places, not by rules.
    public var processMark: String? { uncompared.mark }
    private let uncompared: UncomparedProcess
    /// The key that signed the client's message, verified by the transport; nil if absent.
    public let provedKey: ProvedKey?
    /// The login session of the client; nil if the transport knows none.
    ///
    /// A new session of a terminal or a new run of a daemon is a new login session.
    public let login: String?
    /// The name that the client claims without proof.
    public let claim: String?
    /// The identity that an access token proves; nil if the client sent none.
    public let credential: Credential?
    /// The server to which a transport of this hub connected; nil for other peers.
    public let provedServer: ProvedServer?
    /// The report of a browser that is not paired; nil for other peers.
    public let visit: PageVisit?
    /// True if the transport itself opens the callback address, so that no other party receives the
    /// answer.
    public let opensCallbacks: Bool

    /// Makes a peer; called by transports.
    public init(
        channel: ChannelName, provedUserID: UInt32? = nil, executable: String? = nil,
        unit: String? = nil, process: (any ClientProcess)? = nil, provedKey: ProvedKey? = nil,
        login: String? = nil, claim: String? = nil, credential: Credential? = nil,
        visit: PageVisit? = nil, opensCallbacks: Bool = false, provedServer: ProvedServer? = nil,
        processMark: String? = nil
    ) {
        self.channel = channel
        self.provedUserID = provedUserID
        self.executable = executable
        self.unit = unit
        uncompared = UncomparedProcess(process: process, mark: processMark)
        self.provedKey = provedKey
        self.login = login
        self.claim = claim
        self.credential = credential
        self.visit = visit
        self.provedServer = provedServer
        self.opensCallbacks = opensCallbacks
    }

    /// Makes a peer for code in the same process, which is trusted.
    public static func inProcess(_ claim: String? = nil) -> Peer {
        Peer(channel: .library, claim: claim)
    }

    /// Returns the client for rules, limits, grants and pace if the wire names none.
    ///
    /// Nil if the client gives no name, or a name that is reserved for access tokens.
    package func client(by environment: any HubEnvironment) -> Client? {
        if let proved = proved(named: nil, callback: nil) { return proved }
        guard let claim, !Client.isReserved(claim) else { return nil }
        let (id, party) = environment.identity(ofClaim: claim)
        return Client(id: id, name: nil, proof: .claimed, party: party)
    }

    /// Returns the client if the wire names one.
    ///
    /// A proved identity has priority. A callback proves nothing if the transport does not open the
    /// address.
    package func client(claimedAs claimed: Client) -> Client {
        if let proved = proved(named: claimed.name, callback: claimed.callback) { return proved }
        guard claimed.proof == .callback, !opensCallbacks else { return claimed }
        return Client(
            id: claimed.id, name: claimed.name, proof: .claimed, party: claimed.party,
            callback: claimed.callback)
    }

    private func proved(named name: String?, callback: String?) -> Client? {
        if let provedKey {
            return Client(
                id: provedKey.publicKey, name: claim, proof: .key, callback: callback)
        }
        if let provedServer {
            return Client(
                id: provedServer.origin, name: name ?? claim, proof: .server,
                party: provedServer.party, callback: callback)
        }
        return credential?.client(named: name, callback: callback)
            ?? visit?.client(named: name, callback: callback)
    }
}

/// The key of a client that the owner has connected.
public struct ProvedKey: Hashable, Sendable {
    /// The public key, in lower-case hex.
    public let publicKey: String
    /// The account to which the owner connected the key.
    public let account: KeyID
    /// A name of the connection that is never used again.
    public let connection: String
    /// The owner's name for the connection.
    public let name: String
    /// True if the key has signed a message; false if only the owner has named the key so far.
    public var hasSigned = true

    /// Makes a proved key, after a transport verified a signature or the owner named the key.
    public init(publicKey: String, account: KeyID, connection: String, name: String) {
        self.publicKey = publicKey
        self.account = account
        self.connection = connection
        self.name = name
    }
}

/// A server that proved its name to a transport of this hub by a certificate, over an encrypted
/// connection.
///
/// This proves nothing about the server's users: it may pass on requests of others.
public struct ProvedServer: Hashable, Sendable {
    /// The origin of the server, in the normal form.
    public let origin: String
    /// The registrable domain of the origin.
    public let party: String

    /// Makes a proved server; called by transports.
    public init(origin: String, party: String) {
        self.origin = origin
        self.party = party
    }
}

/// Kernel data about a program, read on demand.
public protocol ClientProcess: Sendable {
    /// SHA-256 of the executable file, 32 bytes; nil if it cannot be read.
    var executableHash: [UInt8]? { get }
    /// The programs that started it, the nearest first; nil if unknown.
    var parents: [String]? { get }
}

/// Properties that are ignored when peers are compared.
private struct UncomparedProcess: Hashable, Sendable {
    let process: (any ClientProcess)?
    let mark: String?
    static func == (_: UncomparedProcess, _: UncomparedProcess) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

/// The name of a channel by which requests arrive, which rules name as `channel`.
public struct ChannelName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let name: String

    /// Makes a channel name.
    public init(_ name: String) { self.name = name }

    /// Makes a channel name.
    public init(stringLiteral name: String) { self.name = name }

    /// The command line.
    public static let commandLine: ChannelName = "cli"
    /// An app that runs the hub in its own process.
    public static let library: ChannelName = "library"
}
