// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import Testing

@testable import SigningCLI

@Suite("Completions in shells")
struct CompletionTests {
    private func offered(_ words: String...) -> [String] {
        CompletionWords.candidates(for: words) { kind, home in
            guard home == nil else { return ["of.\(home ?? "")"] }
            return switch kind {
            case .subjects(.key): ["alice", "bob", "treasury"]
            case .keys(let protocolID): ["\(protocolID.name)-key"]
            case .addresses(let protocolID): ["\(protocolID).example"]
            case .subjects(.grant): ["5d0c6ae1b2f39e47", "60aa"]
            case .subjects(.connection): ["c0ffee"]
            case .subjects(.token): ["helper"]
            case .subjects(.bunker): ["laptop"]
            case .subjects(.question): []
            }
        }
    }

    @Test("the words of commands come first")
    func commands() {
        let topics = Topic.sections.flatMap(\.topics).map(\.word)
        #expect(Set(offered("")) == Set(topics) && offered("").count == topics.count)
        #expect(offered("po") == ["policy"] && offered("key", "re") == ["rename", "remove"])
        #expect(offered("--home", "x", "--quiet", "gra") == ["grant"])
        #expect(offered("agent", "s") == ["start", "stop", "status"])
        #expect(offered("frobnicate", "") == [] && offered("--home", "") == [])
        #expect(CompletionWords.candidates(for: []) { _, _ in ["x"] } == [])
    }

    @Test("operands are the home's own names")
    func operands() {
        for name in ["show", "rename", "tag", "export", "remove"] {
            #expect(offered("key", name, "") == ["alice", "bob", "treasury"], "\(name)")
            #expect(offered("key", name, "--quiet", "b") == ["bob"], "\(name)")
        }
        #expect(offered("policy", "use", "login") == ["login-only"])
        #expect(offered("grant", "show", "6") == ["60aa"])
        #expect(offered("grant", "revoke", "60aa", "5d") == ["5d0c6ae1b2f39e47"])
        #expect(offered("agent", "connection", "end", "") == ["c0ffee"])
        #expect(offered("agent", "token", "revoke", "") == ["helper"])
        for name in ["show", "relays", "revoke"] {
            #expect(offered("bunker", name, "l") == ["laptop"], "\(name)")
        }
        #expect(offered("agent", "connection", "list", "--a") == [])
        #expect(offered("grant", "list", "--a") == ["--all"])
        #expect(offered("completions", "") == ["bash", "zsh", "fish"])
        #expect(offered("repair", "c") == ["clock"])
        #expect(offered("repair", "l") == ["ledger"])
        #expect(offered("repair", "--confirm", "") == ["ledger"])
        #expect(offered("near", "account", "") == ["near.example"])
        #expect(offered("key", "rename", "alice", "b") == [])
        #expect(offered("key", "show", "--", "al") == ["alice"])
    }

    @Test("options are those of the command that are not given yet")
    func options() {
        #expect(offered("key", "show", "--q") == ["--qr", "--quiet"])
        #expect(offered("key", "show", "--qr", "--q") == ["--quiet"])
        #expect(offered("key", "show", "--home=x", "--ho") == [])
        #expect(offered("key", "list", "").contains("--json"))
        #expect(offered("near", "send", "").contains("--rpc"))
        #expect(offered("key", "show", "--", "--q") == [])
        for words in [["handle"], ["policy", "check"], ["policy", "explain"], ["verify"]] {
            #expect(CompletionWords.candidates(for: words + [""]) { _, _ in [] } == [], "\(words)")
        }
    }

    @Test("values are those of the option")
    func values() {
        #expect(offered("key", "new", "--protocol", "n") == ["nostr", "near"])
        #expect(offered("key", "watch", "--protocol", "") == ["algorand"])
        #expect(offered("near", "send", "--network", "t") == ["testnet"])
        #expect(offered("near", "send", "--account", "") == ["near.example"])
        #expect(offered("algorand", "sign-message", "--account", "") == ["algorand.example"])
        #expect(offered("algorand", "client", "--accounts", "") == ["algorand-key"])
        #expect(offered("audit", "list", "--key", "a") == ["alice"])
        #expect(offered("handle", "--adapter", "").count == 10)
        #expect(offered("handle", "--client", "--adapter", "") == [])
        #expect(offered("key", "show", "--home", "x", "") == ["of.x"])
        #expect(offered("--home=x", "key", "show", "") == ["of.x"])
        #expect(
            offered("key", "export", "--format", "")
                == ["nsec", "hex", "ncryptsec", "words", "near", "credentials"])
    }

    @Test("an equals sign may be between, also where bash breaks words at it")
    func equals() {
        #expect(offered("near", "send", "--network=t") == ["--network=testnet"])
        #expect(offered("near", "send", "--network", "=", "t") == ["--network=testnet"])
        #expect(offered("near", "send", "--network", "=").count == 2)
        #expect(offered("key", "show", "--qr=") == [] && offered("key", "show", "--x=") == [])
        #expect(offered("grant", "show", "--home", "=", "a", "") == ["of.a"])
        #expect(offered("handle", "--client", "https", ":", "//a.b", "--ad") == ["--adapter"])
    }

    @Test(
        "text that a shell could read as syntax is not offered",
        arguments: [
            "$(touch x)", "`touch x`", "a b", "a;b", "a|b", "a&b", "a>b", "a*", "~", "a\nb", "a\tb",
            "'", "\"", "\\", "!1", "#a", "{a,b}", "a=b", "-x", "--all", "", "\u{1B}[0m",
            "\u{202E}a", "caf\u{E9}", "a\0",
        ])
    func hostile(name: String) {
        let found = CompletionWords.candidates(for: ["key", "show", ""]) { _, _ in [name, "ok"] }
        #expect(found == ["ok"])
    }

    @Test("no more are offered than a screen can bear")
    func bounds() {
        let many = (0...CompletionWords.countMax).map { "key\($0)" }
        let found = CompletionWords.candidates(for: ["key", "show", ""]) { _, _ in many }
        #expect(found == Array(many.dropLast()))
    }

    @Test("every fixed value is one that the command's help names")
    func fixed() {
        for command in CommandLineTool.commands {
            for option in command.options {
                guard case .fixed(let values) = option.offers,
                    !["--protocol", "--words"].contains(option.name)
                else { continue }
                for value in values { #expect(command.usage.contains(value), "\(command.name)") }
            }
        }
    }
}
