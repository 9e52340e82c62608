// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningStorage
import SigningTesting
import TestHome
import Testing

/// Each `open` is a separate process; a page that sends one request three times gets one question
/// and one answer.
@Suite("The same request in several processes")
struct WaitingPlaceTests {
    private let home: TestHome

    init() throws { home = try TestHome.ofSamples() }

    /// A hub with a second ledger on the same file, like another process.
    private func hub(_ approval: any Approval) throws -> SigningHub {
        home.hub(
            FixedPolicy(.askByDefault), ledger: try SQLiteLedger.open(home.home),
            approval: approval, environment: FixedEnvironment(seconds: 1_795_219_200))
    }

    private static func answer(_ hub: SigningHub, _ content: String = "hello") async throws
        -> Answer
    {
        let adapter = try #require(Samples.adapters.adapter(named: "nip155"))
        let text = String(decoding: Samples.frame("nip155"), as: UTF8.self)
            .replacing("hello", with: content)
        return await hub.answer(
            .sent(Array((text + "&x-error=myapp://no").utf8)), with: adapter)
    }

    @Test("is asked about once, and another under its name is refused")
    func once() async throws {
        let person = HeldApproval()
        let slow = try hub(person)
        let other = try hub(FixedApproval(.approve))
        async let first = Self.answer(slow)
        await person.isAsked()
        let second = try await Self.answer(other)
        guard case .silence = second.reply, case .outcome(.denied(let reason)) = second.ending
        else {
            Issue.record("\(second)")
            return
        }
        #expect(reason.code == .pendingConflict)
        guard case .message(let bytes) = try await Self.answer(other, "other").reply else {
            Issue.record("the client is not told")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).contains("code=invalid_request"))
        person.say(yes: true)
        guard case .outcome(.done) = try await first.ending else {
            Issue.record("the first is not answered")
            return
        }
        // The first request has ended, so this is a new one.
        guard case .outcome(.done) = try await Self.answer(other).ending else {
            Issue.record("the place is still taken")
            return
        }
    }
}
