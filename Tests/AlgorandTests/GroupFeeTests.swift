// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Fees of groups") struct GroupFeeTests {
    private func dangers(_ drafts: [Draft], signing isSigned: (Int) -> Bool) throws -> [[Danger]] {
        let groups = drafts.count == 1 ? drafts.map(\.bytes) : Draft.grouped(drafts)
        let items: [JSON] = groups.enumerated().map { place, bytes in
            let txn = JSON.string(Base64.encode(bytes.span))
            return isSigned(place) ? ["txn": txn] : ["txn": txn, "signers": []]
        }
        return try SigningItem.all(items).flatMap { $0.operations() }.map(\.dangers)
    }

    private func own(_ fee: UInt64) throws -> Draft {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        return Draft().with("snd", .binary(key)).with("fee", .unsigned(fee))
    }

    @Test("high_fee is about the average of a group")
    func fees() throws {
        func dangers(_ fees: [UInt64]) throws -> [[Danger]] {
            try self.dangers(fees.map(own)) { _ in true }
        }
        #expect(try dangers([10_000]) == [[]])
        #expect(try dangers([10_001]) == [[.highFee]])
        #expect(try dangers([10_000, 10_000]) == [[], []])
        #expect(try dangers([10_001, 10_000]) == [[.highFee], [.highFee]])
        #expect(try dangers([.max, .max]) == [[.highFee], [.highFee]])
    }

    @Test("a member that pays for the others is flagged where it pays more than they need")
    func feeForOthers() throws {
        func dangers(_ fee: UInt64, beside count: Int) throws -> [Danger] {
            let others = (0..<count).map { place in
                Draft().with("snd", .binary(Draft.key(UInt8(place + 9)))).with("fee", nil)
            }
            return try #require(try self.dangers([own(fee)] + others) { $0 == 0 }.first)
        }
        // 0.16 ALGO is the usual maximum for a whole group, and here one key pays it all.
        #expect(try dangers(160_000, beside: 15) == [.highFee])
        #expect(try dangers(25_000, beside: 15) == [])
        #expect(try dangers(25_001, beside: 15) == [.highFee])
        #expect(try dangers(11_000, beside: 1) == [])
        #expect(try dangers(11_001, beside: 1) == [.highFee])
    }
}
