// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension Danger {
    package static let decrypt = Danger("decrypt")
    package static let identityProof = Danger("identity_proof")
    package static let replaces = Danger("replaces")
    package static let deletes = Danger("deletes")
    package static let vanish = Danger("vanish")
    package static let money = Danger("money")
    package static let pubkeyMismatch = Danger("pubkey_mismatch")
    package static let longPlaintext = Danger("long_plaintext")
    /// The client names a homepage that is not the receiver of the answer (Docs/Design/Grants.md).
    ///
    /// Only a rule that acknowledges this danger covers the request.
    package static let clientMismatch = Danger("client_mismatch")
    package static let legacyEncryption = Danger("legacy_encryption")
    package static let shrinksList = Danger("shrinks_list")
    /// A login dated so that it could be kept for later, or an event from the future.
    package static let oddTime = Danger("odd_time")
    /// A message to or from a remote signer (NIP-46), as if it came from the account.
    package static let remoteSigning = Danger("remote_signing")

    /// Every danger that a rule may name for Nostr besides the common ones.
    package static let nostr = [
        decrypt, identityProof, replaces, deletes, vanish, money, pubkeyMismatch, longPlaintext,
        clientMismatch, legacyEncryption, shrinksList, oddTime, remoteSigning,
    ]
    /// The dangers that are asked about each time: the effect is final or the event can be kept.
    package static let nostrAlwaysAsked = [deletes, vanish, money, oddTime]
}

extension Danger {
    /// The warning about the danger, in plain words.
    package var sentence: String {
        switch self {
        case .decrypt: "private messages become readable to this client"
        case .identityProof: "this is a login: check where to"
        case .replaces: "this replaces what you published before under this kind"
        case .deletes: "relays are asked to delete events of yours"
        case .vanish: "relays are asked to delete everything of yours; this cannot be undone"
        case .money: "this moves money or asks for it"
        case .pubkeyMismatch: "the client wrote another author; your account signs instead"
        case .clientMismatch:
            "the client names a homepage that is not where the answer goes"
        case .legacyEncryption: "this is old encryption without any protection against changes"
        case .shrinksList: "this list loses, or may lose, entries of the one you signed last"
        case .oddTime: "it is not dated now: it could be kept, and used when you do not expect it"
        case .remoteSigning: "this speaks as you with a signer or a client far away (NIP-46)"
        case .longPlaintext: "this text is so long that many clients cannot read it"
        case .controlCharacters: "the text holds characters you cannot see"
        case .oversize: "this event is unusually large"
        default: name
        }
    }
}
