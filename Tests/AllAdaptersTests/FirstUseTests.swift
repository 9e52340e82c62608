// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningStorage
import SigningTesting
import SigningVault
import Synchronization
import TestHome
import Testing

@testable import SigningCore

/// Answers with yes or no, and counts the questions.
private final class CountingApproval: Approval {
    let count = Mutex(0)
    private let saysYes: Bool

    init(saysYes: Bool) { self.saysYes = saysYes }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        count.withLock { $0 += 1 }
        return saysYes ? .approved(question.binding) : .denied()
    }
}

@Suite("First uses on a real disk")
struct FirstUseTests {
    let home: TestHome
    private static let start: Int64 = 1_795_219_200
    private static let bob = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
    private static let eve = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"

    init() throws { home = try TestHome.ofSamples() }

    private static let rules = """
        [[rule]]
        id = "texts"
        effect = "allow"
        protocol = "nostr"
        acknowledge = ["new_client", "legacy_encryption"]
        [[rule]]
        id = "strangers"
        effect = "ask"
        protocol = "nostr"
        operation = ["nip44_encrypt", "nip04_encrypt"]
        first_use.peer = { max = "1h" }

        """

    private func hub(
        _ approval: any Approval, at seconds: Int64 = 0, _ rules: String = rules
    ) throws -> SigningHub {
        try home.hub(
            rules, version: 2, approval: approval,
            environment: FixedEnvironment(seconds: Self.start + seconds))
    }

    private func write(
        to peer: String, _ hub: SigningHub, _ method: String = "nip44.encrypt"
    ) async throws -> String {
        let adapter = try #require(Samples.adapters.adapter(named: "nip07"))
        let request = #"{"nip07":"\#(method)","params":["\#(peer)","hi"]}"#
        return await hub.answer(.sent(Array(request.utf8)), with: adapter).word
    }

    private func known(_ peer: String, in ledger: SQLiteLedger) throws -> FirstUse {
        let key = try Samples.account("nip07").id
        let held = try home.vault.accounts().first { $0.protocolID.name == "nostr" }?.id ?? key
        return try ledger.firstUse(
            of: #require(Counterparty(held, on: "", in: "peer", peer)))
    }

    @Test("after a no, and after a question without an answer, a peer is as new as before")
    func refused() async throws {
        let no = CountingApproval(saysYes: false)
        for _ in 0..<2 { #expect(try await write(to: Self.bob, hub(no)) == "person_denied") }
        #expect(try await write(to: Self.bob, hub(NoApproval())) == "approval_unavailable")
        #expect(try known(Self.bob, in: home.ledger) == .never)
        #expect(no.count.withLock { $0 } == 2)
    }

    @Test("a yes makes a peer known after the cooling-off time, in another process too")
    func signed() async throws {
        let yes = CountingApproval(saysYes: true)
        #expect(try await write(to: Self.bob, hub(yes)) == "done")
        #expect(try known(Self.bob, in: home.ledger) == .at(Timestamp(seconds: Self.start)))
        // Asks during an hour; the questions do not extend it.
        #expect(try await write(to: Self.bob, hub(yes, at: 3_600)) == "done")
        #expect(yes.count.withLock { $0 } == 2)
        let again = try SQLiteLedger.open(home.home)
        #expect(try known(Self.bob, in: again) == .at(Timestamp(seconds: Self.start)))
        let none = try hub(NoApproval(), at: 3_601)
        #expect(try await write(to: Self.bob, none) == "done")
        #expect(try await write(to: Self.bob, none, "nip04.encrypt") == "done")
        #expect(try await write(to: Self.eve, none) == "approval_unavailable")
        let upper = try await write(to: Self.bob.uppercased(), none)
        #expect(["done", "refused"].contains(upper) || upper.contains("invalid"), "\(upper)")
        #expect(try known(Self.eve, in: home.ledger) == .never)
    }

    @Test("a clock that was set back does not make a peer known sooner")
    func clock() async throws {
        let yes = CountingApproval(saysYes: true)
        #expect(try await write(to: Self.bob, hub(yes)) == "done")
        // The record's time counts, at which the peer is new.
        #expect(try await write(to: Self.bob, hub(NoApproval(), at: -90_000)) != "done")
        #expect(try await write(to: Self.eve, hub(yes, at: -90_000)) == "done")
        #expect(try known(Self.eve, in: home.ledger) == .at(Timestamp(seconds: Self.start)))
    }

    @Test("nothing is written while no rule names a first use")
    func free() async throws {
        let rules = Self.rules.replacing("first_use.peer = { max = \"1h\" }\n", with: "")
            .replacing("\"ask\"", with: "\"allow\"")
            .replacing("operation =", with: "acknowledge = [\"new_client\"]\noperation =")
        #expect(try await write(to: Self.bob, hub(NoApproval(), at: 0, rules)) == "done")
        #expect(try known(Self.bob, in: home.ledger) == .never)
    }

    @Test("of two requests at once to a new peer, neither knows it before the other is signed")
    func race() async throws {
        let gate = GatedYes(2)
        let hub = try hub(gate)
        let words = try await withThrowingTaskGroup(of: String.self) { group in
            for method in ["nip44.encrypt", "nip04.encrypt"] {
                group.addTask { try await write(to: Self.bob, hub, method) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(words == ["done", "done"])
        #expect(gate.count == 2)
    }
}

/// Says yes once so many questions wait.
private final class GatedYes: Approval {
    private let state: Mutex<Int>
    private let wanted: Int

    init(_ wanted: Int) {
        self.wanted = wanted
        state = Mutex(0)
    }

    var count: Int { state.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0 += 1 }
        while count < wanted {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw .withdrawn }
        }
        return .approved(question.binding)
    }
}
