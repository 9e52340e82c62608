// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// One decoded NIP-155 request: always one operation of one key.
public struct NIP155Request: SignRequest {
    /// `nostr`.
    public let protocolID = ProtocolID("nostr")
    /// The value of `type`.
    public let method: String
    /// The place the answer goes to, which is all that is sure about who asks.
    public let client: Client?
    /// Exactly one.
    public let operations: [RequestedOperation]
    /// `full`: what is not understood is refused.
    public let decoding = Decoding.full

    /// None: everything a policy sees belongs to the operation.
    public var facts: [Fact] { [] }
    /// None; see the operation.
    public var effects: [Effect] { [] }
    /// None: NIP-155 has no mark for a repetition: a new request with an old `id` is a new request.
    public var replayToken: ReplayToken? { nil }

    /// What is asked, for the answer and for the summary.
    let asked: Asked
    let change: ListChange?
    let account: Account
    let callbacks: Callbacks
    let compression: Compression
    let dropBox: DropBox?
    let hints: ClientHints
}

extension NIP155Request {
    /// What concerns the client and not the operation.
    public var dangers: [Danger] {
        hints.isHomepageElsewhere ? [.clientMismatch] : []
    }

    /// The client's `id`.
    public var correlator: String? { callbacks.id }

    /// A client that names a homepage elsewhere is answered once and no longer (decision 9).
    public var isOneTime: Bool { hints.isHomepageElsewhere }

    /// The `permissions` of `get_public_key`.
    public var wishes: [Wish] { permissionWishes.map(\.wish) }

    var permissionWishes: [PermissionWish] {
        guard case .publicKey(let wishes) = asked else { return [] }
        return wishes
    }

    /// The entries of a list that was signed; the account a client was told of.
    public var notes: [Note] {
        switch asked {
        case .publicKey:
            guard let client else { return [] }
            return [
                Note(client.subject, AccountChoice.note, AccountChoice.fingerprint(account))
            ]
        case .sign: return change?.notes(of: account) ?? []
        case .encrypt, .decrypt, .openZap: return []
        }
    }
}
