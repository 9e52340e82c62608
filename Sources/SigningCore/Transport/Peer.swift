// SPDX-License-Identifier: Apache-2.0

/// Who asks: what is proved of it, what describes it, and what it claims, each told apart.
///
/// Only transports make one, and what rules, limits and grants call the client is made from it in
/// one place, `client(by:)`.
public struct Peer: Hashable, Sendable {
    /// The door the request came through.
    public let channel: ChannelName
    /// The user id the kernel reports for the caller; nil where no kernel vouches.
    public let provedUserID: UInt32?
    /// The program that the kernel names as the caller's; nil where it names none.
    ///
    /// It describes and proves nothing: any program of the user can be made to run another.
    public let executable: String?
    /// The systemd unit the caller runs in, which describes as well; nil outside of units.
    public let unit: String?
    /// What else the kernel tells of that program, which describes as well.
    public var process: (any ClientProcess)? { aside.process }
    /// What tells the process at the other end from any before it and after it.
    ///
    /// The kernel tells it; nil where none does. What one holds is counted by it, and nothing is
    /// judged.
    public var processMark: String? { aside.mark }
    private let aside: UncomparedProcess
    /// The key that signed what the caller sent, as the transport checked; nil where none did.
    public let provedKey: ProvedKey?
    /// The login of the caller, as the transport bounds it; nil where it knows none.
    ///
    /// A new session of a terminal, or a new run of a daemon, is a new login.
    public let login: String?
    /// The name the caller gives itself; nothing proves it.
    public let claim: String?
    /// Who the caller is proved to be; nil where it sent no access token.
    public let credential: Credential?
    /// The server that the caller was met at, as a transport of ours checked; nil for all else.
    public let provedServer: ProvedServer?
    /// How a browser that nobody paired came to ask; nil for all else.
    public let visit: PageVisit?
    /// Whether its transport opens the address that an answer is written for, so that nobody else
    /// gets it.
    public let opensCallbacks: Bool

    /// Makes a peer; only transports do.
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
        aside = UncomparedProcess(process: process, mark: processMark)
        self.provedKey = provedKey
        self.login = login
        self.claim = claim
        self.credential = credential
        self.visit = visit
        self.provedServer = provedServer
        self.opensCallbacks = opensCallbacks
    }

    /// A part of the same process, which has signed and shown what it likes anyway.
    public static func inProcess(_ claim: String? = nil) -> Peer {
        Peer(channel: .library, claim: claim)
    }

    /// Whom rules, limits, grants and pace name, where the wire itself says nobody; nil where
    /// the caller gives no name, or one that only an access token gives.
    package func client(by environment: any HubEnvironment) -> Client? {
        if let proved = proved(named: nil, callback: nil) { return proved }
        guard let claim, !Client.isReserved(claim) else { return nil }
        let (id, party) = environment.identity(ofClaim: claim)
        return Client(id: id, name: nil, proof: .claimed, party: party)
    }

    /// The same where the wire says whom it is about: whoever is proved goes before, and a callback
    /// proves nobody to whom the answer does not go.
    package func client(toldAs told: Client) -> Client {
        if let proved = proved(named: told.name, callback: told.callback) { return proved }
        guard told.proof == .callback, !opensCallbacks else { return told }
        return Client(
            id: told.id, name: told.name, proof: .claimed, party: told.party,
            callback: told.callback)
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
    /// The account that the owner connected it to.
    public let account: KeyID
    /// What tells the connection from any other, before it and after it.
    public let connection: String
    /// What the owner calls the connection.
    public let name: String
    /// Whether it has signed anything yet; the owner may have named a key that has sent nothing.
    public var hasSigned = true

    /// Makes one; only transports do, once they have checked a signature, or where the owner has
    /// named the key to them.
    public init(publicKey: String, account: KeyID, connection: String, name: String) {
        self.publicKey = publicKey
        self.account = account
        self.connection = connection
        self.name = name
    }
}

/// A server whose name a certificate proved to a transport of ours, over an encrypted connection.
///
/// Who stands behind it, and who uses it, is not proved: it may pass on what others say.
public struct ProvedServer: Hashable, Sendable {
    /// Its origin, in the normal form.
    public let origin: String
    /// The registrable domain of that.
    public let party: String

    /// Makes one; only transports do.
    public init(origin: String, party: String) {
        self.origin = origin
        self.party = party
    }
}

/// What the kernel tells of a program that calls, looked up when somebody wants to know.
public protocol ClientProcess: Sendable {
    /// SHA-256 of what it runs, 32 bytes; nil where that cannot be told.
    var executableHash: [UInt8]? { get }
    /// The programs that started it, the nearest first; nil where that cannot be told.
    var parents: [String]? { get }
}

/// It makes no two callers of one.
private struct UncomparedProcess: Hashable, Sendable {
    let process: (any ClientProcess)?
    let mark: String?
    static func == (_: UncomparedProcess, _: UncomparedProcess) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

/// A way in, by the word that rules call `channel`.
public struct ChannelName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The word.
    public let name: String

    /// Names a door.
    public init(_ name: String) { self.name = name }

    /// Names a door.
    public init(stringLiteral name: String) { self.name = name }

    /// The command line.
    public static let commandLine: ChannelName = "cli"
    /// An app that holds the hub in its own process.
    public static let library: ChannelName = "library"
}
