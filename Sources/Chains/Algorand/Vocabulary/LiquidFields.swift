// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// What rules call telling a server of Liquid Auth who would log in.
    package static let liquidIntroduce = "liquid_introduce"
    /// What rules call the two ceremonies of Liquid Auth.
    package static let liquidRegister = "liquid_register"
    package static let liquidLogin = "liquid_login"

    /// What the ceremonies have.
    package static let liquidFields = [
        FactField(
            "host", .text, boundsRefusals: true,
            note: "The host of the server that a login by Liquid Auth is for, without a port."),
        FactField(
            "rp_id", .text,
            note: "The host that the passkey is for: the server's own, or a domain above it."),
        FactField(
            "request_id", .text, varies: .free,
            note: "What the app calls the login, from its liquid: address."),
        FactField(
            "address", .account,
            note: "The account of a login by Liquid Auth, or of a message if it was rekeyed."),
        FactField(
            "auth_address", .account,
            note: "The account whose key signs for a rekeyed one; absent for its own key."),
        FactField(
            "credential", .bytes,
            note: "The passkey that logs in; absent where a new one is made."),
        FactField(
            "replaces_passkey", .bool,
            note: "Whether the new passkey takes the place of one that is held."),
    ]
}

extension Danger {
    /// What a server made up is signed, without anything before it.
    package static let liquidChallenge = Danger("liquid_challenge")
    /// A passkey is for a domain above the server's host, and so for others below it.
    package static let parentRP = Danger("parent_rp")
    /// Another account's key signs for a rekeyed one, because a node, the owner or the client says
    /// that it may.
    package static let rekeyedAccount = Danger("rekeyed_account")
    /// A node is named, and none says which key signs for the account.
    package static let authorityUnknown = Danger("authority_unknown")
}
