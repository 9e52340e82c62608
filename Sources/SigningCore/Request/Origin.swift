// SPDX-License-Identifier: Apache-2.0

/// The caller as the transport proves it and, apart from that, as it merely claims to be.
public struct Origin: Hashable, Sendable {
    /// The door the request came through, such as `cli`.
    public let channel: String
    /// The user id the kernel reports for the caller; nil where no kernel vouches.
    public let provedUserID: UInt32?
    /// The program that the kernel names as the caller's; nil where it names none.
    public let executable: String?
    /// The systemd unit the caller runs in; nil outside of units.
    public let unit: String?
    /// The session of the caller, as the transport bounds it; nil where it knows none.
    ///
    /// A new login, or a new run of a daemon, is a new session.
    public let session: String?
    /// The name the caller gave itself; display and policy only, never proof.
    public let claimedClient: String?

    /// Makes an origin; only transports do.
    public init(
        channel: String, provedUserID: UInt32?, executable: String? = nil, unit: String? = nil,
        session: String? = nil, claimedClient: String?
    ) {
        self.channel = channel
        self.provedUserID = provedUserID
        self.executable = executable
        self.unit = unit
        self.session = session
        self.claimedClient = claimedClient
    }
}

/// Who asks, as rules and people see it.
public struct Client: Hashable, Sendable {
    /// What backs the identity.
    public enum Proof: String, Hashable, Sendable, CaseIterable {
        /// The answer can only reach this identity (the callback of a URL request).
        case callback
        /// The caller said so and nothing proves it.
        case claimed
    }

    /// The identity a rule names in `client`.
    public let id: String
    /// The client's own name for itself, if it sent one.
    public let name: String?
    /// What backs `id`.
    public let proof: Proof
    /// What budgets and pace count it by: the registrable domain of a web origin, else `id`.
    public let party: String

    /// Makes a client identity; without a `party` it counts by itself.
    public init(id: String, name: String?, proof: Proof, party: String? = nil) {
        self.id = id
        self.name = name
        self.proof = proof
        self.party = party ?? id
    }
}

/// One message as a transport read it, not yet trusted in any way.
public struct Frame: Hashable, Sendable {
    /// The bytes on the wire, whole.
    public let bytes: [UInt8]
    /// What the client laid down beside them, where the transport takes such things.
    public let attachment: [UInt8]?
    /// Where they came from.
    public let origin: Origin

    /// Makes a frame; only transports do.
    public init(bytes: [UInt8], attachment: [UInt8]? = nil, origin: Origin) {
        self.bytes = bytes
        self.attachment = attachment
        self.origin = origin
    }
}
