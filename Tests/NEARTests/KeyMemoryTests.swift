// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("The highest nonce a chain can have reached, by the record")
struct KeyMemoryTests {
    private func memory(_ noted: [String: Int64]) throws -> NEARKeyMemory {
        let account = JudgedTransaction.account()
        let context = DecodingContext(
            accounts: [account],
            peer: Peer(channel: "test"),
            now: Timestamp(seconds: 0), freshID: [], wasSeen: { _ in nil },
            noted: { name, subject in
                subject == .key(account.id)
                    ? noted[name].map { Note(subject, name, $0) } : nil
            })
        return NEARKeyMemory(of: account, on: "mainnet", in: context)
    }

    @Test("without a record the clock sets the bound")
    func clock() throws {
        let memory = try memory([:])
        let now = Timestamp(seconds: 1_795_000_000)
        #expect(memory.isPlausible(atHeight: 442_376_888, now: now))
        #expect(!memory.isPlausible(atHeight: 442_376_889, now: now))
        #expect(memory.isPlausible(atHeight: 42_376_888, now: Timestamp(seconds: 0)))
        #expect(!memory.isPlausible(atHeight: 42_376_889, now: Timestamp(seconds: 0)))
        #expect(!memory.isPlausible(atHeight: .max, now: Timestamp(seconds: .max)))
    }

    @Test("with one, the time since then does, and nothing is too low")
    func record() throws {
        let memory = try memory([
            "near/mainnet/height": 200_000_000, "near/mainnet/time": 1_795_000_000,
        ])
        for (height, seconds, isGood): (UInt64, Int64, Bool) in [
            (200_010_000, 0, true), (200_010_001, 0, false), (200_010_400, 100, true),
            (200_010_401, 100, false), (200_010_001, -100, false), (1, 0, true),
        ] {
            let now = Timestamp(seconds: 1_795_000_000 + seconds)
            #expect(
                memory.isPlausible(atHeight: height, now: now) == isGood, "\(height) \(seconds)")
        }
    }

    @Test(
        "a forged record breaks nothing", arguments: [Int64.min, -1, 0, Int64.max])
    func absurd(_ value: Int64) throws {
        let memory = try memory([
            "near/mainnet/height": value, "near/mainnet/time": value, "near/mainnet/nonce": value,
        ])
        for seconds in [Int64.min, 0, 1_795_000_000, Int64.max] {
            let now = Timestamp(seconds: seconds)
            for height in [0, 200_000_000, UInt64.max] {
                _ = memory.isPlausible(atHeight: height, now: now)
            }
        }
        #expect(!memory.isJump(to: 0))
    }

    @Test("a nonce a million above the last one is one that other wallets do not step to")
    func nonce() throws {
        let known = try memory(["near/mainnet/nonce": 500])
        #expect(!known.isJump(to: 1_000_500) && known.isJump(to: 1_000_501))
        #expect(try !memory([:]).isJump(to: .max))
        #expect(try !memory(["near/testnet/nonce": 500]).isJump(to: .max))
    }

    @Test("the furthest height is kept with its time, and the last nonce")
    func notes() throws {
        let memory = try memory(["near/mainnet/height": 1_000, "near/mainnet/time": 5])
        func notes(_ height: UInt64, _ nonces: [UInt64]) -> [String: Int64] {
            let looked = NEARLookup.Found(nonces: nonces, blockHash: [], blockHeight: height)
            let notes = memory.notes(looked, at: Timestamp(seconds: 9))
            return Dictionary(uniqueKeysWithValues: notes.map { ($0.name, $0.value) })
        }
        #expect(notes(999, []).isEmpty)
        #expect(notes(999, [7, 8]) == ["near/mainnet/nonce": 8])
        #expect(notes(1_000, []) == ["near/mainnet/height": 1_000, "near/mainnet/time": 9])
    }
}
