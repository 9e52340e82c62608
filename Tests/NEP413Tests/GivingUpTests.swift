// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

@testable import NEAR
@testable import NEP413

/// A page that disconnects needs no question and ends only its own connections.
@Suite("Signing out is free")
struct GivingUpTests {
    private static let signIn = Array(#"{"method":"signIn","params":{"network":"mainnet"}}"#.utf8)
    private static let accounts = Array(#"{"method":"getAccounts","params":{}}"#.utf8)
    private static let signOut = Array(#"{"method":"signOut","params":{}}"#.utf8)
    private static let other =
        Array(#"{"method":"signOut","params":{"network":"testnet"}}"#.utf8)

    private func connected(_ clients: String...) async throws -> AskedHub {
        let hub = try AskedHub()
        for client in clients {
            let ending = await hub.ending(Self.signIn, remembering: .anyAmount, client: client)
            #expect(ending == "done")
        }
        return hub
    }

    @Test(
        "where only the default asks or denies there is no question, and the grants are revoked",
        arguments: [FixedPolicy.Answer.askByDefault, .denyByDefault])
    func free(_ policy: FixedPolicy.Answer) async throws {
        let hub = try await connected("app", "neighbour")
        func transfer() -> [UInt8] { hub.transaction([.transfer(deposit: 1)]) }
        for client in ["app", "neighbour"] {
            let remembered = await hub.ending(
                transfer(), remembering: .anyAmount, client: client)
            #expect(remembered == "done")
            #expect(await hub.ending(transfer(), client: client) == "done")
        }
        let recorded = hub.ledger.intents.count
        #expect(await hub.ending(Self.signOut, policy: policy) == "done")
        #expect(hub.ledger.intents.count == recorded + 1)
        #expect(await hub.ending(Self.accounts) == "not_signed_in")
        #expect(await hub.ending(transfer()) == "approval_unavailable")
        // Another client keeps its connection.
        #expect(await hub.ending(Self.accounts, client: "neighbour") == "done")
        #expect(await hub.ending(transfer(), client: "neighbour") == "done")
    }

    @Test("a rule denies it, has a person asked, and nothing ends then")
    func rules() async throws {
        let hub = try await connected("app")
        #expect(await hub.ending(Self.signOut, policy: .deny) == "policy_denied")
        #expect(await hub.ending(Self.signOut, policy: .ask) == "approval_unavailable")
        #expect(await hub.ending(Self.signOut, policy: .allowUnnamed) == "done")
        #expect(await hub.ending(Self.accounts) == "not_signed_in")
    }

    @Test("a frozen home refuses it with all the rest")
    func frozen() async throws {
        let hub = try await connected("app")
        hub.ledger.freeze()
        #expect(await hub.ending(Self.signOut, policy: .denyByDefault) == "frozen")
    }

    @Test("a client that was never here may leave, and is as new as before")
    func stranger() async throws {
        let hub = try AskedHub()
        #expect(await hub.ending(Self.signOut, policy: .denyByDefault) == "done")
        #expect(await hub.ending(Self.other, policy: .askByDefault) == "done")
        let asked = Recorder()
        _ = await hub.answer(Self.signIn, asking: asked)
        #expect(asked.dangers == [[.newClient]])
    }

    @Test("a page of a window may leave also where it is framed; a link speaks for no page")
    func pages() async throws {
        let hub = try AskedHub()
        func frame(_ bytes: [UInt8], _ visit: PageVisit) -> Frame {
            let claim = "https://app.example"
            return Frame(
                bytes: bytes, peer: Peer(channel: "window", claim: claim, visit: visit))
        }
        func message(_ isFramed: Bool) -> PageVisit {
            .message(
                origin: "https://app.example", party: "app.example", isFramed: isFramed)
        }
        let signedIn = await hub.ending(
            frame(Self.signIn, message(false)), remembering: .anyAmount)
        #expect(signedIn == "done")
        let byLink = await hub.ending(frame(Self.signOut, .link))
        #expect(byLink == "approval_unavailable")
        #expect(await hub.ending(frame(Self.accounts, message(false))) == "done")
        let framed = await hub.ending(frame(Self.signOut, message(true)), policy: .denyByDefault)
        #expect(framed == "done")
        #expect(await hub.ending(frame(Self.accounts, message(false))) == "not_signed_in")
    }

    @Test("a person reads what a yes does")
    func words() async throws {
        let hub = try await connected("app")
        let asked = Recorder()
        _ = await hub.answer(Self.signOut, asking: asked)
        _ = await hub.answer(Self.accounts, asking: asked)
        _ = await hub.answer(Self.signIn, asking: asked)
        #expect(asked.acts == [.disconnect, .inform, .connect])
    }
}

/// Says no, and keeps the texts of the questions.
final class Recorder: Approval {
    private let questions = Mutex<[ApprovalQuestion]>([])

    var acts: [ApprovalQuestion.Act] { questions.withLock { $0.map(\.act) } }
    var dangers: [[Danger]] { questions.withLock { $0.map(\.dangers) } }

    func decide(
        _ question: ApprovalQuestion
    ) async throws(ApprovalError) -> ApprovalAnswer {
        questions.withLock { $0.append(question) }
        return .denied()
    }
}
