// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningCrypto
import SigningPolicy
import Testing

@Suite("Values in rules")
struct RuleValueTests {
    /// The errors of a deny rule with one condition.
    static func errors(_ protocolName: String, _ condition: String) -> [String] {
        let text = """
            version = 1
            default = "ask"
            [[rule]]
            id = "r"
            effect = "deny"
            protocol = "\(protocolName)"
            \(condition)
            """
        do throws(PolicyLoadError) {
            _ = try load(text)
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map(\.headline)
        }
    }

    static func load(_ text: String) throws(PolicyLoadError) -> TOMLPolicy {
        try TOMLPolicy.load(
            Array(text.utf8).span, fileName: "p", schemas: AdapterSet(providerID: "").schemas,
            at: Timestamp(seconds: 1_795_219_200), sha256: { Digest.sha256($0) })
    }

    static let address = "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYP7MUPJQE"
    static let npub = "npub1zutzeysacnf9rru6zqwmxd54mud0k44tst6l70ja5mhv8jjumytsd2x7nu"
    static let hex = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"

    @Test(
        "that no request can have are refused, with the right form where it is known",
        arguments: [
            ("nostr", "kind = 70000", "is 0 to 65535"),
            ("nostr", "kind = { max = 70000 }", "is 0 to 65535"),
            ("nostr", "peer = \"alice\"", "64 hexadecimal digits, or npub1"),
            ("nostr", "peer = \"npub1aaaa\"", "64 hexadecimal digits, or npub1"),
            ("nostr", "tag.p = { has = \"alice\" }", "64 hexadecimal digits, or npub1"),
            ("nostr", "tag.e = { has = \"npub1aaaa\" }", "64 hexadecimal digits, or note1"),
            ("nostr", "tag.a = { has = \"1:alice:\" }", "takes KIND:KEY:NAME"),
            ("nostr", "tag.q = { has = \"x\" }", "takes the id of an event"),
            ("nostr", "url = \"media.example\"", "an address such as https://media.example"),
            ("nostr", "method = \"GET POST\"", "takes an HTTP method such as GET"),
            ("nostr", "scheme = \"nip-44\"", "is one of nip04, nip44, private_zap"),
            ("nostr", "relay = \"wss://relay.example/chat\"", "did you mean \"relay.example\"?"),
            ("near", "network = \"mainet\"", "did you mean \"mainnet\"?"),
            ("near", "receiver = \"App.Near\"", "did you mean \"app.near\"?"),
            ("near", "receiver = \"not an account\"", "takes an account id such as app.near"),
            ("near", "actions = { has = \"Transfr\" }", "is one of CreateAccount"),
            ("near", "actions = { has = \"transfer\" }", "did you mean \"Transfer\"?"),
            (
                "near", "callback.origin = \"https://a.example/x\"",
                "did you mean \"https://a.example\"?"
            ),
            ("algorand", "network = \"TestNet\"", "did you mean \"testnet\"?"),
            ("algorand", "network = \"mainet\"", "did you mean \"mainnet\"?"),
            ("algorand", "type = \"payment\"", "is one of pay, axfer"),
            ("algorand", "on_complete = \"NoOp\"", "did you mean \"noop\"?"),
            (
                "algorand", "receiver = \"\(address.dropLast())A\"",
                "this one has a wrong checksum"
            ),
            ("algorand", "close_to = \"alice\"", "takes an address of 58"),
        ])
    func refused(protocolName: String, condition: String, error: String) {
        let found = Self.errors(protocolName, condition)
        #expect(found.count == 1 && found[0].contains(error), "\(condition): \(found)")
    }

    @Test(
        "are brought to the one form, so that files that mean the same have one hash",
        arguments: [
            (
                "nostr",
                "peer = \"\(npub)\"",
                "peer = \"\(hex)\""
            ),
            ("nostr", "peer = \"\(hex.uppercased())\"", "peer = \"\(hex)\""),
            ("nostr", "relay = \"wss://Relay.Example/\"", "relay = \"relay.example\""),
            ("nostr", "tag.p = { has = \"\(npub)\" }", "tag.p = { has = \"\(hex)\" }"),
            ("nostr", "tag.e = { has = \"\(hex.uppercased())\" }", "tag.e = { has = \"\(hex)\" }"),
            ("nostr", "tag.a = { has = \"3:\(npub):\" }", "tag.a = { has = \"3:\(hex):\" }"),
            ("nostr", "tag.t = { has = \"Nostr\" }", "tag.t = { has = \"nostr\" }"),
            ("nostr", "url = \"https://A.example:443\"", "url = \"https://a.example/\""),
            ("nostr", "method = \"get\"", "method = \"GET\""),
            ("nostr", "relay = \"relay.example:443\"", "relay = \"relay.example\""),
            (
                "nostr", "client = \"https://notes.example:443/\"",
                "client = \"https://notes.example\""
            ),
            (
                "near", "callback.origin = \"https://A.example/\"",
                "callback.origin = \"https://a.example\""
            ),
            ("algorand", "domain = \"App.Example\"", "domain = \"app.example\""),
            ("algorand", "receiver = \"\(address)\"", "receiver = [\"\(address)\"]"),
            ("algorand", "network = \"dockernet-v1\"", "network = [\"dockernet-v1\"]"),
        ])
    func normalised(protocolName: String, condition: String, same: String) throws {
        let files = [condition, same].map { condition in
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
                + "protocol = \"\(protocolName)\"\n\(condition)\n"
        }
        #expect(try Self.load(files[0]).hash == Self.load(files[1]).hash)
    }

    @Test(
        "parts and patterns that no value has are reported, others are accepted",
        arguments: [
            ("tag.p = { prefix = \"npub1\" }", true), ("tag.p = { prefix = \"00ab\" }", false),
            ("tag.t = { glob = \"*Casino*\" }", true), ("tag.t = { glob = \"*casino*\" }", false),
            ("tag.t = { regex = \"(?i)Casino\" }", false), ("method = { glob = \"g*\" }", true),
            ("peer = { suffix = \"AB\" }", true), ("tag.d = { prefix = \"Any\" }", false),
            ("url = { prefix = \"https://a.example/\" }", false),
        ])
    func parts(condition: String, isWarned: Bool) throws {
        let policy = try Self.load(
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
                + "protocol = \"nostr\"\n\(condition)\n")
        #expect(policy.findings.contains { $0.code == "P0211" } == isWarned, "\(policy.findings)")
    }
}
