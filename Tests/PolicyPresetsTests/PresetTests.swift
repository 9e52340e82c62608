// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import PolicyPresets
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningPolicyTools
import Testing

@Suite("Presets")
struct PresetTests {
    static func load(_ source: [UInt8]) throws -> TOMLPolicy {
        try TOMLPolicy.load(
            source.span, fileName: "policy.toml", schemas: AdapterSet(providerID: "").schemas,
            at: Timestamp(seconds: 1_795_219_200), sha256: { Digest.sha256($0) })
    }

    @Test("load without findings", arguments: PolicyPreset.all.map(\.name))
    func loads(_ name: String) throws {
        let preset = try #require(PolicyPreset.all.first { $0.name == name })
        let policy = try Self.load(preset.source)
        #expect(policy.findings.isEmpty)
        #expect(policy.document.ruleIDs.isEmpty == (name == "ask-everything"))
    }

    @Test("the first one explains itself: its examples load when uncommented")
    func examples() throws {
        let text = String(decoding: PolicyPreset.askEverything.source, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") && line != "#"
                ? String(line.dropFirst()) : String(line)
        }
        let full = try Self.load(Array(lines.joined(separator: "\n").utf8))
        #expect(
            full.document.ruleIDs == ["near-login", "never-rekey-away", "notes", "pay-treasury"])
        #expect(full.findings.isEmpty)
    }

    @Test("the published schema is the one of the vocabulary")
    func schema() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let published = try Data(contentsOf: root.appending(path: "Docs/policy.schema.json"))
        let made = Data(PolicySchema(AdapterSet(providerID: "").schemas).json.write())
        let both = try [published, made].map {
            try JSONSerialization.jsonObject(with: $0) as? NSDictionary
        }
        #expect(both[0] != nil && both[0] == both[1], "countersign policy schema")
    }

    @Test("the schema of policy files defines what it refers to")
    func fileSchema() throws {
        let schema = PolicyFileSchema(AdapterSet(providerID: "").schemas).json
        let definitions = try #require(schema["definitions"]?.object)
        let text = String(decoding: schema.write(), as: UTF8.self)
        let names = text.matches(of: /"#\/definitions\/([^"]+)"/).map { String($0.1) }
        #expect(Set(names).count > 100)
        #expect(names.allSatisfy { definitions[$0] != nil })
        #expect(definitions.members.allSatisfy { names.contains($0.name) })
        #expect(!text.contains("null"))
    }
}
