// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The method name in rules for telling a Liquid Auth server which account would log in.
    package static let liquidIntroduce = "liquid_introduce"
    /// The method names in rules for the two ceremonies of Liquid Auth.
    package static let liquidRegister = "liquid_register"
    package static let liquidLogin = "liquid_login"

    /// The fields of the ceremonies.
    package static let liquidFields = [
        FactField(
            "host", .text, boundsRefusals: true,
            note: "The host of the server that a login by Liquid Auth is for, without a port."),
        FactField(
            "rp_id", .text,
            note: "The host of the passkey: the server's own, or a domain above it."),
        FactField(
            "request_id", .text, varies: .free,
            note: "The request id of the login, from the app's liquid: address."),
        FactField(
            "address", .account,
            note: "The account of a login by Liquid Auth, or of a message if it was rekeyed."),
        FactField(
            "auth_address", .account,
            note: "The account whose key signs for a rekeyed one; absent for its own key."),
        FactField(
            "credential", .bytes,
            note: "The passkey that logs in; absent if a new one is made."),
        FactField(
            "replaces_passkey", .bool,
            note: "True if this home already has a passkey of the account for the host."),
    ]
}

extension Danger {
    /// A challenge that a server chose is signed without a prefix.
    package static let liquidChallenge = Danger("liquid_challenge")
    /// A passkey is for a parent domain of the server's host, so other hosts below it can use it.
    package static let parentRP = Danger("parent_rp")
    /// Another account's key signs for a rekeyed account, according to a node, the owner or the
    /// client.
    package static let rekeyedAccount = Danger("rekeyed_account")
    /// A node is configured, but no node says which key signs for the account.
    package static let authorityUnknown = Danger("authority_unknown")
}
