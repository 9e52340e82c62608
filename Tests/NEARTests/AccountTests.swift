// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARSamples
import SigningCodecs
import Testing

@Suite("Accounts and the keys they can have")
struct AccountTests {
    private let file = VectorFile.near("account_ids.json")

    @Test("account ids are valid or not as near-account-id-rs has it")
    func accountIDs() throws {
        let valid = try #require(file["valid"]?.list)
        let invalid = try #require(file["invalid"]?.list)
        let kinds = try #require(file["kinds"]?.list)
        #expect(valid.count == 23 && invalid.count == 26 && kinds.count == 23)
        for id in valid + kinds.compactMap({ $0["accountId"] }) {
            #expect(NEARAccountID.isValid(try #require(id.text)), "\(id)")
        }
        for id in invalid { #expect(!NEARAccountID.isValid(try #require(id.text)), "\(id)") }
    }

    @Test("account ids are told apart by their shape")
    func kinds() throws {
        let kinds: [String: NEARAccountKind] = [
            "named": .named, "near-implicit": .implicit, "eth-implicit": .ethImplicit,
            "near-deterministic": .deterministic, "universal": .universal,
        ]
        for row in try #require(file["kinds"]?.list) {
            let id = try #require(row["accountId"]?.text)
            let kind = try #require(row["kind"]?.text)
            #expect(NEARAccountKind(id) == kinds[kind], "\(id)")
        }
    }

    @Test("a key is kept for an account that can have it, and doubts are told")
    func keys() throws {
        let key = [UInt8](repeating: 0xAB, count: 32)
        let own = NEARKeyForm.implicitAccount(of: key)
        #expect(try NEARKeyForm.account(of: key, given: nil) == own && own.utf8.count == 64)
        #expect(try NEARKeyForm.account(of: key, given: "alice.near") == "alice.near")
        #expect(throws: NEARKeyForm.Failure.invalidAccountID) {
            try NEARKeyForm.account(of: key, given: "Alice.near")
        }
        let digits = String(repeating: "0", count: 40)
        #expect(throws: NEARKeyForm.Failure.hasNoKeys) {
            try NEARKeyForm.account(of: key, given: "0x" + digits)
        }
        #expect(NEARKeyForm.doubt(about: own, of: key) == nil)
        #expect(NEARKeyForm.doubt(about: "alice.near", of: key) == nil)
        let other = String(repeating: "0", count: 64)
        #expect(NEARKeyForm.doubt(about: other, of: key) == .implicitOfAnotherKey)
        #expect(NEARKeyForm.doubt(about: "0s" + digits, of: key) == .contract)
    }
}
