// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("Facts of added keys")
struct KeyFactTests {
    private typealias Judged = JudgedTransaction

    private static let full = NEARAction.addKey(
        Judged.key, AccessKey(nonce: 0, permission: .fullAccess))

    private func gasKey(_ bounds: FunctionCallPermission?) -> NEARAction {
        let gasKey = AccessKey.GasKey(balance: 0, nonceCount: 4)
        return .addKey(
            Judged.key,
            AccessKey(
                nonce: 0,
                permission: bounds.map { .gasKeyFunctionCall(gasKey, $0) }
                    ?? .gasKeyFullAccess(gasKey)))
    }

    @Test("allowances add up, zero counts, and one key without a bound is beyond any")
    func allowances() throws {
        let cases: [([UInt128?], Int128)] = [
            ([9], 9), ([0], 0), ([nil], .max), ([0, nil], .max), ([nil, 9], .max), ([9, 0, 4], 13),
            ([.max, .max], .max),
        ]
        for (allowances, expected) in cases {
            let found = try Judged(allowances.map { Judged.addKey(allowance: $0) })
            #expect(found.number("allowance") == expected)
            #expect(found.texts("key.receiver")?.count == allowances.count)
            #expect(found.dangers == ["adds_key"])
            #expect(found.fact("adds_full_access_key") == .bool(false))
        }
    }

    @Test("a full access key beside a small one is not held to the small one's allowance")
    func fullAccess() throws {
        for actions in [
            [Self.full, Judged.addKey(allowance: 1)], [Judged.addKey(allowance: 1), Self.full],
        ] {
            let found = try Judged(actions)
            #expect(found.number("allowance") == .max)
            #expect(found.dangers == ["adds_key", "full_access_key"])
            #expect(found.fact("adds_full_access_key") == .bool(true))
            let critical = found.request.operations[0].facts.filter(\.isCritical)
            #expect(critical.map(\.name) == ["adds_full_access_key"])
        }
    }

    @Test("gas keys are keys: full ones do everything, bounded ones spend without a bound")
    func gasKeys() throws {
        let full = try Judged([gasKey(nil)])
        #expect(full.dangers == ["adds_key", "full_access_key"])
        let bounds = FunctionCallPermission(allowance: nil, receiver: "app.near", methods: [])
        let bounded = try Judged([gasKey(bounds)])
        #expect(bounded.dangers == ["adds_key"] && bounded.number("allowance") == .max)
        #expect(bounded.texts("key.receiver") == ["app.near"])
        #expect(bounded.texts("key.methods") == ["*"])
    }

    @Test("every contract and every method of every key is listed, an empty list is any method")
    func bounds() throws {
        let found = try Judged([
            Judged.addKey(allowance: 1, receiver: "a.near", methods: ["x", "y"]),
            Judged.addKey(allowance: 1, receiver: "b.near", methods: []),
        ])
        #expect(found.texts("key.receiver") == ["a.near", "b.near"])
        #expect(found.texts("key.methods") == ["x", "y", "*"])
    }

    @Test("hidden characters are flagged wherever a person reads them")
    func hidden() throws {
        let actions = [
            Judged.call("vote\u{202E}", "{}"), Judged.call("vo\u{200B}te", "{}"),
            Judged.addKey(allowance: 1, receiver: "app.near\u{0}"),
            Judged.addKey(allowance: 1, methods: ["a", "b\u{1B}[2J"]),
        ]
        for action in actions {
            #expect(try Judged([action]).dangers.contains("control_characters"))
        }
        #expect(try !Judged("vote", "{}").dangers.contains("control_characters"))
    }

    @Test("a key that a contract keeps for the account is a key that is added")
    func contractKeys() throws {
        let found = try Judged("add_public_key", #"{"public_key":"ed25519:1thX6LZ"}"#)
        #expect(found.dangers == ["adds_key"])
        #expect(found.effects == [.grantsAuthority, .spends])
        #expect(try Judged("remove_public_key", "{}").dangers == ["deletes_key"])
    }
}
