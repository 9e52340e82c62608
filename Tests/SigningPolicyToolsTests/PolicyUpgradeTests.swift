// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

extension Judgement {
    fileprivate var isByDefault: Bool { verdict.reasons.allSatisfy { $0.rule == nil } }
}

@Suite("Upgrading a policy file")
struct PolicyUpgradeTests {
    private static func upgraded(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let policy = try loaded(text)
        return String(
            decoding: try PolicyUpgrade.rewrite(bytes, policy, at: Timestamp(seconds: 1_000)),
            as: UTF8.self)
    }

    private static let old = """
        # Mine.
        version = 1 # old
        default = "ask"

        # Notes.
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        kind = [1, 6]
        limit = [
          { count = 60, per = "day" }, # many
          { uses = 900 },
        ]
        tz = "UTC"
        on_exceed = "ask" # me

        [[rule]]
        id = "files"
        effect = "allow"
        protocol = "nostr"
        kind = 1063
        hours = "09:00-18:00"
        tz = "UTC"
        limit = [{ count = 1, per = "day" }]
        [[rule]]
        id = "free"
        effect = "allow"
        protocol = "nostr"
        kind = 7

        """

    private static let new = """
        # Mine.
        version = 2  # old
        default = "ask"

        # Notes.
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        kind = [1, 6]
        limit = [
            { count = 60, per = "day" },  # many
            { uses = 900 },
        ]
        tz = "UTC"
        # me

        [budget.files]
        limit = [{ count = 1, per = "day" }]
        tz = "UTC"
        final = true

        [[rule]]
        id = "files"
        effect = "allow"
        protocol = "nostr"
        kind = 1063
        hours = "09:00-18:00"
        tz = "UTC"
        budget = "files"

        [[rule]]
        id = "free"
        effect = "allow"
        protocol = "nostr"
        kind = 7

        """

    @Test("turns used-up rules into budgets that are final or escalate, and keeps comments")
    func text() throws {
        #expect(try Self.upgraded(Self.old) == Self.new)
        #expect(try Self.upgraded(Self.new) == Self.new)
    }

    @Test("keeps a limit where the default says the same as on_exceed", arguments: ["ask", "deny"])
    func kept(_ effect: String) throws {
        let old = """
            version = 1
            default = "\(effect)"

            [[rule]]
            id = "a"
            effect = "allow"
            limit = [{ uses = 1 }]
            on_exceed = "\(effect)"

            """
        #expect(
            try Self.upgraded(old)
                == old.replacing("version = 1", with: "version = 2")
                .replacing("on_exceed = \"\(effect)\"\n", with: ""))
        let other = old.replacing("default = \"\(effect)\"", with: "default = \"ask\"")
            .replacing("on_exceed = \"\(effect)\"", with: "on_exceed = \"deny\"")
        #expect(try Self.upgraded(other).contains("final = true"))
        let escalating = old.replacing("default = \"\(effect)\"", with: "default = \"deny\"")
            .replacing("on_exceed = \"\(effect)\"", with: "on_exceed = \"ask\"")
        #expect(try Self.upgraded(escalating).contains("escalate = true"))
    }

    @Test("tells rules apart by methods that have their fields")
    func methods() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("notes"), methods: ["list", "sign"],
            fields: [FactField("kind", .integer, note: "").of(["sign"])], dangers: [])
        func upgraded(_ condition: String) throws -> String {
            let rules = ["operation = \"list\"", condition].enumerated().map { number, line in
                "[[rule]]\nid = \"r\(number)\"\neffect = \"allow\"\nprotocol = \"notes\"\n"
                    + "\(line)\nlimit = [{ uses = 1 }]\n"
            }
            let text = Array(("version = 1\ndefault = \"ask\"\n" + rules.joined()).utf8)
            let policy = try TOMLPolicy.load(
                text.span, fileName: "p", schemas: [schema], at: Timestamp(seconds: 0),
                sha256: fakeDigest)
            return String(
                decoding: try PolicyUpgrade.rewrite(text, policy, at: Timestamp(seconds: 0)),
                as: UTF8.self)
        }
        #expect(try upgraded("kind = 1").contains("[budget.r1]"))
        #expect(throws: PolicyUpgradeError.self) { try upgraded("kind = { exists = false }") }
    }

    @Test("is refused where rules overlap and where the file has another layout")
    func refused() throws {
        let head = "version = 1\ndefault = \"ask\"\n"
        let rule = "effect = \"allow\"\nlimit = [{ uses = 1 }]\n"
        let overlapping = head + "[[rule]]\nid = \"a\"\n\(rule)[[rule]]\nid = \"b\"\n\(rule)"
        let open = """
            protocol = "algorand"
            limit = [{ count = 1, per = "1h", by = ["receiver"] }, { uses = 9 }]
            """
        for (text, message) in [
            (overlapping, "the rules \"a\" and \"b\" may both allow a request"),
            (
                head + "rule = [{ id = \"a\", effect = \"allow\", limit = [{ uses = 1 }] }]\n",
                "write each rule as [[rule]]"
            ),
            (
                head + "[[rule]]\nid = \"a\"\neffect = \"allow\"\n\(open)\n",
                "the budget \"a\" bounds"
            ),
        ] {
            do {
                _ = try Self.upgraded(text)
                Issue.record("upgraded: \(text)")
            } catch let error as PolicyUpgradeError {
                #expect(error.text.hasPrefix(message), "\(error.text)")
            }
        }
    }

    /// Compares requests without dangers.
    ///
    /// A final budget denies those that no rule acknowledges, and version 1 asks about them. A
    /// person's yes takes more from final budgets.
    @Test("gives the same verdicts and charges, by the engine and by the reference")
    func equivalence() throws {
        var random = RandomPolicies(generator: SeededGenerator(state: 36))
        var (count, usedUp) = (0, 0)
        for _ in 0..<400 {
            let text = random.file(version: 1)
            let old = try loaded(text)
            guard let upgraded = try? Self.upgraded(text) else { continue }
            let new = try loaded(upgraded)
            #expect(new.document.version == 2)
            count += old.document.rules.contains { !$0.ownLimits.isEmpty } ? 1 : 0
            for _ in 0..<25 {
                let request = random.request()
                guard request.allDangers.isEmpty else { continue }
                let usage = random.usage(old.document)
                let before = try old.judge(request, usage: usage)
                let after = try new.judge(request, usage: usage)
                #expect(before.verdict.name == after.verdict.name, "\(text)\n\(request)\n\(usage)")
                #expect(Set(before.claims).isSubset(of: after.claims))
                if before.verdict.name == "allow" {
                    #expect(before.claims.count == after.claims.count)
                }
                #expect(before.undecided == after.undecided)
                // A client may disconnect if no rule is named.
                #expect(before.isByDefault == after.isByDefault, "\(text)\n\(request)\n\(usage)")
                let answers = [old, new].map { policy in
                    ReferenceEvaluator(
                        document: policy.document, request: request, usage: usage
                    ).answer()
                }
                #expect(answers[0].verdict == answers[1].verdict)
                #expect(answers[0].claims.isSubset(of: answers[1].claims))
                if before.verdict.reasons.contains(where: { $0.code == .limitExceeded }) {
                    usedUp += 1
                }
            }
        }
        #expect(count > 40)
        #expect(usedUp > 20)
    }
}
