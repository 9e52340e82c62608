// SPDX-License-Identifier: Apache-2.0

/// Who asks: what is proved of it, what describes it, and what it claims, each told apart.
///
/// Only transports make one, and what rules, limits and grants call the client is made from it in
/// one place, `client(by:)`.
public struct Peer: Hashable, Sendable {
    /// The door the request came through.
    public let door: Door
    /// The user id the kernel reports for the caller; nil where no kernel vouches.
    public let provedUserID: UInt32?
    /// The program that the kernel names as the caller's; nil where it names none.
    ///
    /// It describes and proves nothing: any program of the user can be made to run another.
    public let executable: String?
    /// The systemd unit the caller runs in, which describes as well; nil outside of units.
    public let unit: String?
    /// The login of the caller, as the transport bounds it; nil where it knows none.
    ///
    /// A new session of a terminal, or a new run of a daemon, is a new login.
    public let login: String?
    /// The name the caller gives itself; nothing proves it.
    public let claim: String?

    /// Makes a peer; only transports do.
    public init(
        door: Door, provedUserID: UInt32? = nil, executable: String? = nil, unit: String? = nil,
        login: String? = nil, claim: String? = nil
    ) {
        self.door = door
        self.provedUserID = provedUserID
        self.executable = executable
        self.unit = unit
        self.login = login
        self.claim = claim
    }

    /// A part of the same process, which has signed and shown what it likes anyway.
    public static func inProcess(_ claim: String? = nil) -> Peer {
        Peer(door: .library, claim: claim)
    }

    /// Whom rules, limits, grants and pace name, where the wire itself says nobody; nil where
    /// the caller gives no name.
    package func client(by environment: any HubEnvironment) -> Client? {
        guard let claim else { return nil }
        let (id, party) = environment.identity(ofClaim: claim)
        return Client(id: id, name: nil, proof: .claimed, party: party)
    }
}

/// A way in, by the word that rules call `channel`.
public struct Door: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The word.
    public let name: String

    /// Names a door.
    public init(_ name: String) { self.name = name }

    /// Names a door.
    public init(stringLiteral name: String) { self.name = name }

    /// The command line.
    public static let commandLine: Door = "cli"
    /// An app that holds the hub in its own process.
    public static let library: Door = "library"
}
