// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningPolicy
import SigningPolicyTools
import Testing

@Suite("Findings in the formats of other tools")
struct CheckReportTests {
    private static func finding(
        _ message: String, _ severity: Diagnostic.Severity = .error, suggestion: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity: severity, code: severity == .error ? "P0123" : "P0206", message: message,
            file: "policy.toml", line: 3, column: 7, suggestion: suggestion)
    }

    private static let two = [
        finding("unknown field \"recever\"", suggestion: "receiver"),
        finding("the rule \"a\" has no limit", .warning),
    ]

    @Test("SARIF has the members that the format requires, and its own names of levels")
    func sarif() throws {
        let log = CheckReport(Self.two, path: "a b/p#1.toml").sarif
        #expect(log["version"] == "2.1.0")
        let run = try #require(log["runs"]?.list?.first)
        let driver = run["tool"]?["driver"]
        #expect(driver?["name"] == "countersign")
        #expect(driver?["rules"] == [["id": "P0123"], ["id": "P0206"]])
        let results = try #require(run["results"]?.list)
        #expect(results.map { $0["level"] } == ["error", "warning"])
        #expect(results.map { $0["ruleId"] } == ["P0123", "P0206"])
        #expect(
            results[0]["message"]?["text"]
                == "unknown field \"recever\"; did you mean \"receiver\"?")
        let place = results[0]["locations"]?.list?.first?["physicalLocation"]
        #expect(place?["artifactLocation"]?["uri"] == "a%20b/p%231.toml")
        #expect(place?["region"] == ["startLine": 3, "startColumn": 7])
        let empty = CheckReport([], path: "/home/a/p.toml").sarif
        #expect(empty["runs"]?.list?.first?["results"] == [])
        let absolute = CheckReport([Self.two[0]], path: "/home/a/p.toml").sarif
        let text = String(decoding: absolute.write(), as: UTF8.self)
        #expect(text.contains("file:///home/a/p.toml"))
    }

    @Test("GitHub gets one command a line, and no text ends a command or a property")
    func github() {
        #expect(
            CheckReport(Self.two, path: "p.toml").github == """
                ::error file=p.toml,line=3,col=7,title=P0123::unknown field "recever"; did you \
                mean "receiver"?
                ::warning file=p.toml,line=3,col=7,title=P0206::the rule "a" has no limit
                """)
        let hostile = CheckReport(
            [Self.finding("100%\r\n::error::x, y")], path: "a,b:c%\n:\u{301}.toml")
        #expect(
            hostile.github
                == "::error file=a%2Cb%3Ac%25%0A%3A\u{301}.toml,line=3,col=7,title=P0123::"
                + "100%25%0D%0A::error::x, y")
        #expect(CheckReport([], path: "p").github.isEmpty)
    }
}
