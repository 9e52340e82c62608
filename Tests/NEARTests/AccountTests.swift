// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARSamples
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

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

    @Test("account ids are classified by their form")
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

    @Test("a key is kept for an account that can have it, and doubts are reported")
    func keys() throws {
        let key = [UInt8](repeating: 0xAB, count: 32)
        let chain = NEARChain()
        let own = try chain.address(publicKey: key, given: nil)
        #expect(own == String(repeating: "ab", count: 32))
        #expect(try chain.address(publicKey: key, given: "alice.near") == "alice.near")
        let digits = String(repeating: "0", count: 40)
        for given in ["Alice.near", "0x" + digits] {
            #expect(throws: AccountError.self) { try chain.address(publicKey: key, given: given) }
        }
        for known in [own, "alice.near"] {
            #expect(chain.warning(about: known, publicKey: key) == nil)
        }
        for (other, words) in [
            (String(repeating: "0", count: 64), "another key"),
            ("0s" + digits, "a contract"),
        ] {
            let warning = try #require(chain.warning(about: other, publicKey: key))
            #expect(warning.message.hasSuffix(words))
        }
    }
}
