// SPDX-License-Identifier: Apache-2.0

import Algorand
import Nostr
import SigningCodecs
import SigningCore
import SigningService

/// Shows the public halves of keys.
struct KeyReport {
    /// The chains and wires that this program supports.
    let protocols: ProtocolSupport
    let console: Console

    init(_ invocation: Invocation) {
        protocols = invocation.protocols
        console = invocation.console
    }

    private func chain(of account: Account) -> (any Chain)? {
        account.isWatchOnly ? nil : protocols.chain(named: account.protocolID.name)
    }

    /// The public form of the address, such as an npub; nil if the address is that form.
    func publicText(_ account: Account) -> String? {
        chain(of: account)?.publicText(account.publicKey)
    }

    /// The account that signs for a rekeyed one, with its name if the home holds it.
    private func signer(
        of account: Account, among accounts: [Account]
    ) -> (address: String, name: String?)? {
        guard let key = account.signedBy else { return nil }
        let held = accounts.first {
            $0.protocolID == account.protocolID && $0.publicKey == key && $0.signedBy == nil
        }
        return (AlgorandAddress.text(publicKey: key.span), held?.name)
    }

    /// The implicit account of a key; nil if that is its address or the chain has none.
    private func implicitAccount(_ account: Account) -> String? {
        guard let chain = chain(of: account), chain.namesAccounts,
            let implicit = try? chain.address(publicKey: account.publicKey, given: nil)
        else { return nil }
        return implicit == account.address ? nil : implicit
    }

    /// A Nostr key with relay hints (an NIP-19 profile).
    static func profile(of account: Account, relays: String) throws -> String {
        guard account.protocolID == NostrChain().protocolID else {
            throw CLIError.usage("--relays applies only to nostr keys", hint: "leave it out")
        }
        let list = relays.split(separator: ",").map(String.init)
        guard !list.isEmpty, list.allSatisfy({ $0.hasPrefix("wss://") || $0.hasPrefix("ws://") }),
            let profile = NIP19.Profile(publicKey: account.publicKey, relays: list)
        else {
            throw CLIError.usage(
                "--relays \"\(VisibleText.quotable(relays))\" is not a list of relay URLs",
                hint: "write --relays wss://relay.example,wss://other.example")
        }
        return profile.text
    }

    /// The text of a QR code: a NIP-21 URI for a Nostr key, the public form of others.
    func scannable(_ account: Account, _ profile: String?) -> String {
        let text = profile ?? publicText(account) ?? account.address
        return account.protocolID == NostrChain().protocolID ? "nostr:\(text)" : text
    }

    /// The key as JSON, with the names of those multisignature members that are among `accounts`.
    func json(
        _ account: Account, among accounts: [Account], profile: String? = nil
    ) -> JSON {
        let members = MemberReport(account, among: accounts)
        return [
            "name": .string(account.name), "protocol": .string(account.protocolID.name),
            "network": account.network.map { .string($0) } ?? .null,
            "address": .string(account.address),
            "public_key": .string(Hex.encode(account.publicKey.span)),
            "public_text": publicText(account).map { .string($0) } ?? .null,
            "implicit_account": implicitAccount(account).map { .string($0) } ?? .null,
            "tags": .array(account.tags.map { .string($0) }),
            "id": .string(account.id.text), "profile": profile.map { .string($0) } ?? .null,
            "watch_only": .bool(account.isWatchOnly), "multisig": members?.json ?? .null,
            "signed_by": signer(of: account, among: accounts).map { signer in
                [
                    "address": .string(signer.address),
                    "name": signer.name.map { .string($0) } ?? .null,
                ]
            } ?? .null,
        ]
    }

    func put(_ account: Account, among accounts: [Account], profile: String? = nil) {
        guard !console.isJSON else {
            return console.put(json(account, among: accounts, profile: profile).write())
        }
        console.put("name      \(account.name)")
        console.put("protocol  \(account.protocolID.name)")
        if let network = account.network { console.put("network   \(network)") }
        console.put("address   \(account.address)")
        if let text = publicText(account) { console.put("public    \(text)") }
        if let implicit = implicitAccount(account) { console.put("implicit  \(implicit)") }
        if let profile { console.put("profile   \(profile)") }
        if let members = MemberReport(account, among: accounts) { members.put(to: console) }
        if let signer = signer(of: account, among: accounts) {
            console.put("kind      watch-only, rekeyed")
            console.put("signed by \(signer.name ?? "\(signer.address), not in this home")")
        }
        if !account.tags.isEmpty {
            console.put("tags      \(account.tags.joined(separator: ", "))")
        }
    }

    /// Writes the keys as one JSON list.
    func putList(_ accounts: [Account]) {
        console.put(JSON.array(accounts.map { json($0, among: []) }).write())
    }

    func putTable(_ accounts: [Account]) {
        let rows = accounts.map {
            [$0.name, $0.protocolID.name, $0.network ?? "-", $0.address]
        }
        let widths = (0..<3).map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
        for (row, account) in zip(rows, accounts) {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.utf8.count)
            }
            let members = MemberReport(account, among: accounts).map { [$0.line] } ?? []
            let signer = signer(of: account, among: accounts).map {
                ["watch-only, signed by \($0.name ?? "\($0.address), not in this home")"]
            }
            console.put((cells + [row[3]] + members + (signer ?? [])).joined(separator: "  "))
        }
        if rows.isEmpty {
            console.note("no keys yet: countersign key new --protocol P --name NAME")
        }
    }
}
