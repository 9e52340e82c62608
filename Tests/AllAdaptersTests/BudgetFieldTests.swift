// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningCrypto
import SigningPolicy
import Testing

/// A limit may count by a field only if clients cannot choose its value freely.
@Suite("Fields that limits count by")
struct BudgetFieldTests {
    /// The text fields that accept only a fixed set of values.
    private static let closedTexts: Set = [
        "algorand asset.action", "algorand message.mode", "algorand on_complete",
        "algorand participation", "algorand type", "nostr scheme",
    ]
    /// Facts that the engine or the owner decides.
    private static let closedFacts: Set = [
        "protocol", "operation", "key", "channel", "decoded", "hub", "client.proof",
        "client.profile",
    ]
    /// A value of every form that fields have.
    private static let samples = [
        "1", "\"mainnet\"", "\"a\"", "\"alice.near\"", "\"\(RuleValueTests.address)\"",
        "\"\(RuleValueTests.hex)\"", "\"https://a.example\"", "\"https://a.example/x\"",
        "\"a.example\"", "\"GET\"", "\"nip44\"", "\"pay\"", "\"noop\"", "\"create\"",
        "\"online\"", "\"mx\"", "\"1 ALGO\"", "\"1 NEAR\"", "\"1 Tgas\"", "\"1 sat\"", "\"1h\"",
        "true", "2026-11-20T12:00:00Z",
    ]

    private static func codes(_ protocolName: String?, _ rest: String) -> [String] {
        let scope = protocolName.map { "protocol = \"\($0)\"\n" } ?? ""
        let text =
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\n"
            + "\(scope)\(rest)\n"
        do throws(PolicyLoadError) {
            _ = try RuleValueTests.load(text)
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map(\.code)
        }
    }

    /// Whether a rule loads that counts by the field: alone, beside a limit for all values, and
    /// where the rule lists the values that it allows.
    private static func loads(
        _ name: String, in protocolName: String?
    ) -> (alone: Bool, beside: Bool, listed: Bool) {
        let limit = "{ count = 1, per = \"1h\", by = [\"\(name)\"] }"
        let alone = codes(protocolName, "limit = [\(limit)]")
        #expect(alone.isEmpty || alone == ["P0135"], "\(name): \(alone)")
        let listed = samples.contains { sample in
            codes(protocolName, "\"\(name)\" = [\(sample)]\nlimit = [\(limit)]").isEmpty
        }
        return (
            alone.isEmpty, codes(protocolName, "limit = [\(limit), { uses = 9 }]").isEmpty, listed
        )
    }

    @Test("of every adapter: those with a closed list of values, and others only when bounded")
    func adapterFields() {
        for schema in AdapterSet(providerID: "").schemas {
            let protocolName = schema.protocolID.name
            for field in schema.fields where !field.isList {
                let name = field.name.hasSuffix(".*") ? field.name.dropLast() + "1" : field.name
                let found = Self.loads(name, in: protocolName)
                let isClosed =
                    field.type == .bool || Self.closedTexts.contains("\(protocolName) \(name)")
                #expect(found.alone == isClosed, "\(protocolName) \(name)")
                #expect(found.beside, "\(protocolName) \(name)")
                // `content.contains` searches the content, so a rule cannot list its values.
                #expect(found.listed || name == "content.contains", "\(protocolName) \(name)")
            }
        }
    }

    @Test("of the engine: those that the owner or the engine decides")
    func engineFields() {
        for fact in EngineFact.allCases where !fact.field.isList {
            let found = Self.loads(fact.rawValue, in: nil)
            #expect(found.alone == Self.closedFacts.contains(fact.rawValue), "\(fact)")
            #expect(found.beside, "\(fact)")
        }
    }
}
