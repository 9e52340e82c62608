// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

extension SigningItem {
    /// The items of a request on one network, as a wire has them judged.
    static func all(
        _ items: [JSON], on network: AlgorandNetwork = .testnet, with keys: KeyRing = .ofA
    ) throws(AlgorandRefusal) -> [SigningItem] {
        var wires: [WalletTransaction] = []
        for item in items { wires.append(try WalletTransaction(item)) }
        var judged: [SigningItem] = []
        for group in try TransactionGroup.all(in: wires.map(\.transaction)) {
            for place in group.members {
                judged.append(
                    try SigningItem(
                        wires[place], in: group, place - group.members.lowerBound, on: network,
                        keys, at: Timestamp(seconds: 0)))
            }
        }
        return judged
    }

    /// One whose transaction is sent by the account held here.
    static func own(
        _ draft: Draft, _ members: KeyValuePairs<String, JSON> = [:],
        on network: AlgorandNetwork = .testnet
    ) throws -> SigningItem {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let bytes = draft.with("snd", .binary(key)).bytes
        let txn = JSONObject.Member(name: "txn", value: .string(Base64.encode(bytes.span)))
        let rest = members.map { JSONObject.Member(name: $0.key, value: $0.value) }
        let item = JSON.object(JSONObject([txn] + rest))
        return try #require(try all([item], on: network).first)
    }

    /// The one use of a key.
    var operation: RequestedOperation {
        get throws {
            #expect(operations().count == 1 && fault == nil)
            return try #require(operations().first)
        }
    }

    /// Its lines, as they stand where it is the only one.
    var shownLines: [Summary.Line] { numbered(lines(), 0, of: 1) }

    /// Its lines and warnings, as part of what a person is shown.
    var summary: Summary { Summary(title: "", lines: shownLines, warnings: warnings) }
}

extension KeyRing {
    static let ofA = KeyRing(accounts: (try? SampleKeys.accounts([SampleKeys.a])) ?? [])
}
