// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

/// A client that is connected to no account does not learn which accounts are held.
@Suite("A client does not find out which accounts are held")
struct HeldAccountTests {
    @Test(
        "2,000 names, one of them held: a page sees no difference, and all are on record",
        arguments: ["ask", "deny"])
    func manyNames(fallback: String) async throws {
        let rig = try HeldRig(default: fallback)
        let names = (0..<2_000).map { $0 == 1_234 ? HeldRig.name : "name\($0).near" }
        var seen: Set<Traces> = []
        for name in names { seen.insert(try await rig.traces(.transfer, naming: name, .page)) }
        #expect(seen.count == 1)
        #expect(seen.first?.entries == 1 && seen.first?.lookups == 0 && seen.first?.asked == 0)
    }

    @Test(
        "calls that name an account do not reveal whether it is held, over any channel",
        arguments: HeldCall.allCases, ClientKind.allCases)
    func noDifference(call: HeldCall, clientKind: ClientKind) async throws {
        // A ceremony comes from our own transport; a page on a channel uses another wire.
        guard call != .ceremony || clientKind != .liquid else { return }
        for fallback in ["ask", "deny"] {
            let rig = try HeldRig(default: fallback)
            let held = try await rig.traces(call, naming: try rig.held(call), clientKind)
            let other = try await rig.traces(call, naming: call.other, clientKind)
            #expect(held == other)
            // A connection asks about the offered account, even if the call names another.
            #expect(held.asked == (call.isSignIn && fallback == "ask" ? 1 : 0))
            // Only clients with an access token can ask to be connected to keys.
            #expect(held.entries == (call == .connect && !clientKind.hasToken ? 0 : 1))
        }
    }

    @Test(
        "reading a call is as much work for a held account as for another",
        arguments: HeldCall.allCases)
    func work(call: HeldCall) throws {
        let rig = try HeldRig(default: "ask")
        let held = try rig.reads(call, naming: try rig.held(call))
        #expect(try rig.reads(call, naming: call.other) == held)
    }

    @Test("a client that knows its account names it")
    func connected() async throws {
        for clientKind in ClientKind.allCases {
            let rig = try HeldRig(default: "ask")
            rig.approval.answersYes = true
            let word = try await rig.word(.signIn, naming: "any.near", clientKind)
            #expect(word == "done", "\(clientKind)")
            rig.approval.answersYes = false
            let traces = try await rig.traces(.transfer, naming: HeldRig.name, clientKind)
            #expect(traces.asked == 1 && traces.lookups == 1)
            let other = try await rig.traces(.transfer, naming: "other.near", clientKind)
            #expect(other.asked == 0 && other.reply.contains("not_signed_in"))
        }
    }

    @Test("a rule that names the client lets it name the accounts that the rule is about")
    func named() async throws {
        let rule = """
            [[rule]]
            id = "app"
            effect = "ask"
            protocol = "near"
            key = "alice"
            client = "https://app.example"
            """
        let rig = try HeldRig(default: "ask", rule)
        let traces = try await rig.traces(.transfer, naming: HeldRig.name, .page)
        #expect(traces.asked == 1)
        let other = try HeldRig(default: "ask", rule.replacing("alice", with: "bob"))
        let refused = try await other.traces(.transfer, naming: HeldRig.name, .page)
        #expect(refused.asked == 0)
    }

    @Test("a rule that allows every client to use an account reveals it, a narrower one does not")
    func everyone() async throws {
        let rule = """
            [[rule]]
            id = "all"
            effect = "allow"
            protocol = "near"
            operation = "sign_message"
            """
        let rig = try HeldRig(default: "ask", rule)
        #expect(try await rig.traces(.transfer, naming: HeldRig.name, .page).asked == 1)
        for more in ["recipient = \"app.near\"", "\"client.proof\" = \"browser\""] {
            let rig = try HeldRig(default: "ask", rule + "\n" + more)
            #expect(try await rig.traces(.transfer, naming: HeldRig.name, .page).asked == 0)
        }
    }

    @Test("a program of the owner's that may list the accounts learns which it names in vain")
    func owners() async throws {
        let rig = try HeldRig(default: "ask")
        for credential in [nil, Credential.program("lister")] {
            let peer = Peer(
                channel: "socket", provedUserID: 1_000, claim: "tool", credential: credential)
            let held = try await rig.traces(.transfer, naming: HeldRig.name, from: peer)
            #expect(held.asked == 1)
            let other = try await rig.traces(.transfer, naming: "other.near", from: peer)
            #expect(other.reply.contains("account_not_found") && other.entries == 0)
        }
    }

    @Test("a client that names accounts again and again is heard only now and then")
    func counted() async throws {
        let rig = try HeldRig(default: "ask")
        // The clock stands still, so that no budget is refilled meanwhile.
        let now = ContinuousClock.now
        let connections = Connections(TransportLimits(), now: { now })
        let seat = try connections.open(try rig.peer(.page))
        for number in 0..<300 {
            let frame = HeldCall.transfer.frame(naming: "name\(number).near")
            _ = try await seat.answer(frame, over: AdapterID("nep413"), by: rig.signer)
        }
        await #expect(throws: Connections.Refusal.tooManyRefused) {
            let frame = HeldCall.transfer.frame(naming: HeldRig.name)
            _ = try await seat.answer(frame, over: AdapterID("nep413"), by: rig.signer)
        }
    }
}
