// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

@Suite("Proved clients")
struct CredentialTests {
    private static let page = BrowserPage(
        profile: "work", origin: "https://app.example", party: "app.example",
        topOrigin: "https://app.example", document: nil)
    private static let environment = FixedEnvironment(seconds: 1_000)

    @Test("is one client under any claimed name and any name in the wire")
    func identity() {
        let claimed = Client(id: "evil", name: "Evil", proof: .callback, callback: "evil")
        let bot = Peer(channel: "socket", claim: "other", credential: .program("bot"))
        #expect(bot.client(by: Self.environment)?.id == "token:bot")
        let both = bot.client(claimedAs: claimed)
        #expect(both.id == "token:bot" && both.proof == .token && both.party == "token:bot")
        #expect(both.name == "Evil" && both.callback == "evil")
        let page = Peer(channel: "socket", credential: .page(Self.page)).client(claimedAs: claimed)
        #expect(page.id == "https://app.example" && page.party == "app.example")
        #expect(page.proof == .browser(profile: "work"))
    }

    @Test("a page that opened a window is its origin, and the author of a link is unknown")
    func visits() {
        let claimed = Client(id: "evil", name: "Evil", proof: .callback, callback: "evil")
        let visit = PageVisit.message(
            origin: "https://app.example", party: "app.example", isFramed: false)
        let page = Peer(channel: "web", claim: "other", visit: visit)
        for client in [page.client(by: Self.environment), page.client(claimedAs: claimed)] {
            #expect(client?.id == "https://app.example" && client?.party == "app.example")
            #expect(client?.proof == .page)
        }
        #expect(page.dangers == [])
        let framed = PageVisit.message(
            origin: "https://app.example", party: "app.example", isFramed: true)
        #expect(Peer(channel: "web", visit: framed).dangers == [.framed])
        let link = Peer(channel: "web", claim: "https://app.example", visit: .link)
        #expect(link.client(by: Self.environment)?.proof == .claimed)
        #expect(link.client(claimedAs: claimed).proof == .claimed)
        #expect(link.dangers == [.byLink])
        let token = Peer(channel: "web", credential: .program("bot"), visit: visit)
        #expect(token.client(by: Self.environment)?.proof == .token)
    }

    @Test(
        "a callback is a proof where no other program gets the answer, and a claim everywhere else")
    func callback() {
        let claimed = Client(
            id: "app", name: "App", proof: .callback, party: "party", callback: "app")
        #expect(Peer(channel: "cli", opensCallbacks: true).client(claimedAs: claimed) == claimed)
        for peer in [Peer(channel: "cli"), Peer(channel: "socket", claim: "x"), .inProcess("y")] {
            let client = peer.client(claimedAs: claimed)
            #expect(client.proof == .claimed && client.id == "app" && client.party == "party")
            #expect(client.callback == "app" && client.name == "App")
        }
        let other = Client(id: "app", name: nil, proof: .claimed)
        #expect(Peer(channel: "cli").client(claimedAs: other) == other)
    }

    @Test(
        "the name of a token cannot be claimed",
        arguments: ["token:bot", "TOKEN:bot", "Token:", "tOkEn:x y"])
    func reserved(_ claim: String) {
        #expect(Client.isReserved(claim))
        #expect(Peer(channel: "socket", claim: claim).client(by: Self.environment) == nil)
        #expect(Peer.inProcess(claim).client(by: Self.environment) == nil)
    }

    @Test("two profiles of browsers, and a name that is only claimed, share nothing that is kept")
    func kept() {
        let proofs: [Client.Proof] = [
            .callback, .key, .claimed, .token, .page, .browser(profile: "work"),
            .browser(profile: "home"),
        ]
        #expect(Set(proofs.map(\.rawValue)).count == proofs.count)
        for proof in proofs {
            #expect(Client.Proof(rawValue: proof.rawValue) == proof)
            #expect(Client.Proof.words.contains(proof.word))
        }
        for text in ["", "browser", "page x", "token x", "claimed work", "other"] {
            #expect(Client.Proof(rawValue: text) == nil)
        }
    }

    @Test("a client whose proof ended before a person answered gets nothing")
    func ended() async throws {
        let ledger = MemoryLedger()
        let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
        let isGood = Mutex(true)
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: keys, ledger: ledger,
            approval: ActingApproval { isGood.withLock { $0 = false } },
            environment: Self.environment,
            stillProves: { peer in
                peer.credential?.tokenName != "bot" || isGood.withLock { $0 }
            })
        func code(_ credential: Credential?) async -> ReasonCode? {
            let peer = Peer(channel: "socket", claim: "x", credential: credential)
            let answer = await hub.answer(
                Frame(bytes: Array("sign a".utf8), peer: peer), with: EagerAdapter())
            switch answer.ending {
            case .outcome(.denied(let reason)), .outcome(.failed(let reason)): return reason.code
            default: return nil
            }
        }
        #expect(await code(nil) == nil)
        #expect(await code(.program("bot")) == .policyChanged)
        isGood.withLock { $0 = true }
        let allowing = hub.judging(by: FixedPolicy(.allow([])))
        let peer = Peer(channel: "socket", credential: .program("bot"))
        let answer = await allowing.answer(
            Frame(bytes: Array("sign a".utf8), peer: peer), with: EagerAdapter())
        #expect(answer.reply == .message(Array("done 1".utf8)))
        // The credential becomes invalid while the intent waits to be written.
        ledger.limitReservations(to: .seconds(5)) { isGood.withLock { $0 = false } }
        let revoked = await allowing.answer(
            Frame(bytes: Array("sign a".utf8), peer: peer), with: EagerAdapter())
        #expect(revoked.reply == .message(Array("denied policy_changed".utf8)))
        let intent = try #require(ledger.intents.last)
        guard case .notUsed = ledger.settlement(of: intent.id) else {
            Issue.record("the intent counts as used")
            return
        }
    }
}

/// Runs an action, then says yes.
private struct ActingApproval: Approval {
    let act: @Sendable () -> Void

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        act()
        return .approved(question.binding)
    }
}
