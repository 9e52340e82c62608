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
    /// The client names a homepage on another site than the one that gets the answer
    /// (Docs/Design/Grants.md).
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
        case .identityProof: "this logs in as you: check where"
        case .replaces: "this replaces what you published before with this kind"
        case .deletes: "events of yours are deleted, where relays agree"
        case .vanish: "everything of yours is deleted, where relays agree; this cannot be undone"
        case .money: "this moves money or asks for it"
        case .pubkeyMismatch: "the client wrote another author; your account signs instead"
        case .clientMismatch:
            "the client's homepage is not the site that gets the answer"
        case .legacyEncryption:
            "this is old encryption: anyone on the way can change the text unnoticed"
        case .shrinksList: "entries that you signed before leave, or may leave, this list"
        case .oddTime: "its time is not now: it could be kept, and used when you do not expect it"
        case .remoteSigning: "this is a message as you to a remote signer or client (NIP-46)"
        case .longPlaintext: "this text is so long that many clients cannot read it"
        case .controlCharacters: "the text has characters that you cannot see"
        case .oversize: "this event is unusually large"
        default: name
        }
    }
}
