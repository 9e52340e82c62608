// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension Danger {
    static let decrypt = Danger("decrypt")
    static let identityProof = Danger("identity_proof")
    static let replaces = Danger("replaces")
    static let deletes = Danger("deletes")
    static let vanish = Danger("vanish")
    static let money = Danger("money")
    static let pubkeyMismatch = Danger("pubkey_mismatch")
    static let longPlaintext = Danger("long_plaintext")
    /// The client names a homepage that is not where the answer goes (decision 9): no rule that
    /// was not written for it covers the request.
    static let clientMismatch = Danger("client_mismatch")
    static let legacyEncryption = Danger("legacy_encryption")
    static let shrinksList = Danger("shrinks_list")

    /// Every flag a rule may name for Nostr besides the common ones.
    static let nostr = [
        decrypt, identityProof, replaces, deletes, vanish, money, pubkeyMismatch, longPlaintext,
        clientMismatch, legacyEncryption, shrinksList,
    ]
}

extension Danger {
    /// What deserves a second look, in plain words.
    var sentence: String {
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
        case .newClient: "this app never asked before; only its scheme tells it from others"
        case .legacyEncryption: "this is old encryption without any protection against changes"
        case .shrinksList: "this list is shorter than the one you signed last"
        case .longPlaintext: "this text is so long that many clients cannot read it"
        case .controlCharacters: "the text holds characters you cannot see"
        case .oversize: "this event is unusually large"
        default: name
        }
    }
}
