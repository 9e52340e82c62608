// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("The account that a message names")
struct NEP413AccountTests {
    @Test("accountId and network choose among the keys, and no account is held of another name")
    func members() throws {
        let accounts = try [("a.near", "mainnet"), ("a.near", "testnet"), ("b.near", "mainnet")]
            .map { try Signer(address: $0.0, network: $0.1).account }
        let bytes = frame(["accountId": "a.near", "network": "testnet"])
        #expect(try decode(bytes, holding: accounts).account == accounts[1])
        let named = frame(["accountId": "b.near"])
        #expect(try decode(named, holding: accounts).account == accounts[2])
        let code = try refusal(frame(["accountId": "c.near"]), holding: accounts).code
        #expect(code == "account_not_found")
    }

    @Test("an invalid account id is refused")
    func accountIDs() throws {
        for id in try #require(Vectors.file("account_ids.json")["invalid"]?.list) {
            let error = try refusal(frame(["accountId": id]), holding: [])
            #expect(error.code == "invalid_account_id")
        }
    }
}
