// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("The account that signs")
struct NEP413AccountTests {
    private func held(_ keys: [(String, String?)]) throws -> [Account] {
        try keys.map { try Signer(address: $0.0, network: $0.1).account }
    }

    private func chosen(
        _ members: [String: JSON?], among accounts: [Account]
    ) throws -> String {
        do throws(AdapterError) {
            let account = try decode(frame(members), holding: accounts).account
            return "\(account.address) \(account.network ?? "-")"
        } catch {
            return error.code
        }
    }

    @Test("the one named is taken, if it is held")
    func named() throws {
        let accounts = try held([("alice.near", nil), ("bob.near", "mainnet")])
        #expect(try chosen(["accountId": "bob.near"], among: accounts) == "bob.near mainnet")
        #expect(try chosen(["accountId": "alice.near"], among: accounts) == "alice.near -")
        #expect(try chosen(["accountId": "carol.near"], among: accounts) == "account_not_found")
    }

    @Test("without a name the only one is taken, and never one of several")
    func unnamed() throws {
        #expect(try chosen([:], among: []) == "account_not_found")
        #expect(try chosen([:], among: held([("alice.near", nil)])) == "alice.near -")
        let two = try held([("alice.near", "mainnet"), ("alice.testnet", "testnet")])
        #expect(try chosen([:], among: two) == "account_required")
        #expect(try chosen(["network": "testnet"], among: two) == "alice.testnet testnet")
        let three = two + (try held([("bob.testnet", nil)]))
        #expect(try chosen(["network": "testnet"], among: three) == "account_required")
        #expect(try chosen(["network": "testnet"], among: [two[0]]) == "account_not_found")
    }

    @Test("a key of another network is refused")
    func otherNetwork() throws {
        let accounts = try held([("alice.near", "mainnet")])
        let members: [String: JSON?] = ["accountId": "alice.near", "network": "testnet"]
        #expect(try chosen(members, among: accounts) == "network_mismatch")
        #expect(try chosen(["network": "mainnet"], among: accounts) == "alice.near mainnet")
    }

    @Test("one account with two keys needs the network, and then only one key")
    func twoKeys() throws {
        let id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        let accounts = try held([(id, "mainnet"), (id, "testnet")])
        let name: JSON = .string(id)
        #expect(try chosen(["accountId": name], among: accounts) == "account_required")
        let both: [String: JSON?] = ["accountId": name, "network": "testnet"]
        #expect(try chosen(both, among: accounts) == "\(id) testnet")
        #expect(try chosen(both, among: accounts + accounts) == "account_required")
    }

    @Test("a key of another algorithm does not count")
    func otherAlgorithm() throws {
        let account = Account(
            id: KeyID("x"), name: "x", protocolID: ProtocolID("near"), algorithm: .bip340,
            publicKey: [UInt8](repeating: 1, count: 32), address: "alice.near", network: nil)
        #expect(try chosen(["accountId": "alice.near"], among: [account]) == "account_not_found")
    }

    @Test("what is no account id is refused")
    func accountIDs() throws {
        for id in try #require(Vectors.file("account_ids.json")["invalid"]?.list) {
            let error = try refusal(frame(["accountId": id]), holding: [])
            #expect(error.code == "invalid_account_id")
        }
    }
}
