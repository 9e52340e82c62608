// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension Effect {
    /// What it means here, in plain words.
    var sentence: String {
        switch self {
        case .publishes: "the signed event can be shown to everyone, for ever, as yours"
        case .provesIdentity: "whoever gets the signature can log in as you with it"
        case .encrypts: "the client gets a text that only the contact and you can read"
        case .decrypts: "the client gets to read the text"
        case .revealsKey: "the client learns which account is yours"
        case .deletes: "something you published is withdrawn"
        case .spends: "value leaves the account"
        case .grantsAuthority: "somebody else gains power over the account"
        }
    }
}
