// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto

/// The members of a watch-only account, by the names of those whose keys are held here.
struct MemberReport {
    /// One member, in its place.
    struct Member {
        let address: String
        /// What its key is called here; nil where it is not held.
        let name: String?
    }

    let threshold: Int
    let members: [Member]

    /// Nil for an account with a key of its own.
    init?(_ account: Account, among accounts: [Account]) {
        guard let multisig = account.multisig else { return nil }
        let held = accounts.filter {
            !$0.isWatchOnly && $0.protocolID == account.protocolID && $0.algorithm == .ed25519
        }
        threshold = Int(multisig.threshold)
        members = multisig.keys.map { key in
            Member(
                address: AlgorandAddress.text(
                    publicKey: key.span),
                name: held.first { $0.publicKey == key }?.name)
        }
    }

    private var count: String { "\(threshold) of \(members.count)" }

    /// What a list has room for.
    var line: String {
        let names = members.compactMap(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        return "watch-only, \(count), held here: "
            + (names.isEmpty ? "none" : names.joined(separator: ", "))
    }

    func put(to console: Console) {
        console.put("kind      watch-only multisignature")
        console.put("threshold \(count)")
        for member in members { console.put("member    \(member.name ?? member.address)") }
    }

    var json: JSON {
        [
            "threshold": .integer(Int64(threshold)),
            "members": .array(
                members.map { member in
                    [
                        "address": .string(member.address),
                        "name": member.name.map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }
}
