// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto

/// The members of a multisignature account, with the names of keys in this home.
struct MemberReport {
    /// One member; the order is that of the account.
    struct Member {
        let address: String
        /// The name of its key; nil if this home does not hold the key.
        let name: String?
    }

    let threshold: Int
    let members: [Member]

    /// Nil for an account that is not a multisignature account.
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

    /// The members as text for one line of a list.
    var line: String {
        let names = members.compactMap(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        return "watch-only, \(count), keys in this home: "
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
