// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

extension SigningItem {
    /// The items of a request on one network, as a wire passes them on.
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

    /// An item whose transaction is sent by the account of this home.
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

    /// The only operation of the item.
    var operation: RequestedOperation {
        get throws {
            #expect(operations().count == 1 && problem == nil)
            return try #require(operations().first)
        }
    }

    /// The lines of the item, if it is the only one of the request.
    var shownLines: [Summary.Line] { numbered(lines(), 0, of: 1) }

    /// The lines and warnings of the item as a summary.
    var summary: Summary { Summary(title: "", lines: shownLines, warnings: warnings) }
}

extension KeyRing {
    static let ofA = KeyRing(accounts: (try? SampleKeys.accounts([SampleKeys.a])) ?? [])
}
