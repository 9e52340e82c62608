// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningCore
import Testing

@testable import SigningPolicy

@Suite("A limit by key")
struct KeyCounterTests {
    private let file = """
        version = 1
        default = "ask"
        [[rule]]
        id = "pay"
        effect = "allow"
        protocol = "algorand"
        limit = [{ count = 3, per = "1h", by = ["key"] }]
        """

    private func request(_ accounts: Account...) -> JudgedRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: accounts.map {
                RequestedOperation(
                    account: $0, operation: .publicKey, facts: [], effects: [], dangers: [])
            }
        ).judged()
    }

    private func key(_ number: UInt8, _ name: String, id: String = "1") -> Account {
        Account(
            id: KeyID(id), name: name, protocolID: ProtocolID("algorand"), algorithm: .ed25519,
            publicKey: [UInt8](repeating: number, count: 32), address: "a", network: nil)
    }

    private func claims(_ accounts: Account..., by usage: FakeUsage = FakeUsage()) throws
        -> [LimitClaim]
    {
        let policy = try loaded(file)
        return try accounts.flatMap { try policy.judge(request($0), usage: usage).claims }
    }

    @Test("counts by the public key: not by the name, nor by an id that each hub has of its own")
    func identity() throws {
        let counters = try claims(key(7, "alice"), key(7, "bob", id: "2"), key(8, "alice"))
            .map(\.counter)
        let seven = "pay#count[key=algorand:\(String(repeating: "07", count: 32))]"
        let eight = "pay#count[key=algorand:\(String(repeating: "08", count: 32))]"
        #expect(counters == [seven, seven, eight])
        let used = FakeUsage(counts: [seven: 3])
        #expect(try claims(key(7, "bob"), by: used).isEmpty)
        #expect(try claims(key(8, "alice"), by: used).map(\.maximum) == [3])
    }

    @Test("leaves what uses under the key's name leave, of versions that counted so")
    func byName() throws {
        let policy = try loaded(file)
        var used = FakeUsage(counts: [:])
        used.countsByName = ["pay#count[key=alice]": 2]
        #expect(try claims(key(7, "alice"), by: used).map(\.maximum) == [1])
        #expect(try claims(key(7, "bob"), by: used).map(\.maximum) == [3])
        let both = request(key(7, "alice"), key(7, "alice"))
        #expect(try policy.judge(both, usage: used).claims.isEmpty)
        let trace = try policy.explain(both, usage: used).rules.flatMap(\.limits)
        #expect(trace.map(\.maximum) == [3, 3] && trace.map(\.used) == [2, 2])
        #expect(trace.map(\.left) == [1, 0])
        for count in [3, 4, Int128.max] {
            used.countsByName = ["pay#count[key=alice]": count]
            #expect(try claims(key(7, "alice"), by: used).isEmpty)
        }
    }
}
