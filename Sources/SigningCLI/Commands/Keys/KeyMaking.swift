// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningService
import SigningVault

extension CommandLineTool {
    static let making =
        [
            Option(name: "--protocol", value: "P", offers: .protocols),
            Option(name: "--name", value: "NAME"),
            Option(name: "--account", value: "ID", offers: .stored(.addresses(.near))),
            Option(name: "--network", value: "NET", offers: .networks),
        ] + WordOptions.all

    static let keyNew = Command(
        name: "key new",
        options: making + [Option(name: "--words", value: "COUNT", offers: .fixed(["12", "24"]))],
        operands: 0...0,
        summary: "make a key",
        usage: """
            usage: countersign key new --protocol P --name NAME [--account ID] [--network NET]
                                       [--words COUNT] [--words-account N] [--path PATH]
                                       [--secret-fd N]

            Makes a key. P is {protocols}. --account is the NEAR account of the key (by default the
            implicit account of the key). --network limits a near or algorand key to mainnet or
            testnet. --words 12 or 24 makes a nostr or near key from that many words, which "key
            export" shows. To make several keys from the same words, use --words-account (nostr,
            NIP-06) or --path (near, SLIP-10; m/44'/397'/0' by default). --secret-fd reads the
            passphrase of the words from descriptor N.

            example: countersign key new --protocol nostr --name alice
            """
    ) { invocation in
        let chain = try chain(invocation)
        guard let count = invocation.arguments.value("--words") else {
            try WordOptions.refuse(invocation.arguments, "without --words")
            let count = try chain.signing(among: invocation.protocols.algorithms).secretCount
            return try add(invocation, chain, MadeSecret(secret: SecretBytes.random(count: count)))
        }
        guard ["12", "24"].contains(count), let wordCount = Int(count),
            let make = SecretForms.of(chain).make
        else {
            throw CLIError.usage(
                "--words takes 12 or 24, and only for nostr and near keys", hint: "leave it out")
        }
        try WordOptions.check(invocation.arguments, for: chain)
        return try add(
            invocation, chain, make(BIP39.makeEntropy(wordCount: wordCount), invocation))
    }

    /// The chain of the new key.
    static func chain(_ invocation: Invocation) throws -> any Chain {
        try chain(named: try invocation.arguments.required("--protocol"), invocation)
    }

    static func chain(named name: String, _ invocation: Invocation) throws -> any Chain {
        guard let chain = invocation.protocols.chain(named: name) else {
            let names = invocation.protocols.names
            let near = Suggestion.closest(to: name, among: names)
            throw CLIError.usage(
                "unknown --protocol \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "one of: \(names.joined(separator: ", "))")
        }
        return chain
    }

    static func add(
        _ invocation: Invocation, _ chain: any Chain, _ made: consuming MadeSecret
    ) throws -> ExitStatus {
        var made = made
        var phrase = made.phrase.take()
        let name = try invocation.arguments.required("--name")
        let publicKey: [UInt8]
        let address: String
        let network: String?
        publicKey = try chain.publicKey(
            of: made.secret, among: invocation.protocols.algorithms)
        address = try chain.account(
            of: publicKey,
            given: made.account ?? invocation.arguments.value("--account"))
        network = try invocation.network(
            made.network ?? invocation.arguments.value("--network"), of: chain)
        if let warning = chain.warning(about: address, publicKey: publicKey) {
            invocation.console.warn(warning.message, hint: warning.hint)
        }
        let workspace = try invocation.workspace(toChange: true)
        if made.isDerived {
            try DerivedAddress(address: address, name: name).confirm(invocation)
        } else if invocation.arguments.has(DerivedAddress.option.name) {
            throw CLIError.usage(
                "\(DerivedAddress.option.name) applies only to algorand keys made from a wallet's "
                    + "words",
                hint: "leave it out")
        }
        let passphrase = try invocation.passphrase().read(to: "add \"\(name)\"")
        let secret = made.secret
        let account = try workspace.change(with: passphrase) { vault in
            try vault.add(
                name: name, protocolID: chain.protocolID, algorithm: chain.algorithm,
                address: address, network: network, secret: secret, phrase: phrase.take(),
                servesAccounts: chain.namesAccounts)
        }
        KeyReport(invocation).put(account, among: [])
        return .done
    }
}

/// A secret with the known properties of its key.
struct MadeSecret: ~Copyable {
    let secret: SecretBytes
    /// The words that the secret was derived from, if any.
    var phrase: KeyPhrase?
    /// The account that a credentials file names, with its network, if any.
    var account: String?
    var network: String?
    /// True if another option would derive another key from the same words.
    var isDerived = false

    init(secret: consuming SecretBytes, phrase: consuming KeyPhrase? = nil) {
        self.secret = secret
        self.phrase = phrase
    }
}
