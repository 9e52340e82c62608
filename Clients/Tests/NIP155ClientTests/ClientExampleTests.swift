// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import Testing

@testable import NIP155
@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("A signed note of a signer")
struct ClientExampleTests {
    private func open(_ url: String) throws -> String { try Rig().answer(url) }

    private func verify(_ json: String) throws {
        #expect(try JSON.parse(json.utf8.span).required("content") == "hello")
    }

    private func show(_ code: NIP155ErrorCode, _ reason: String) {
        Issue.record("\(code) \(reason)")
    }

    @Test("It runs")
    func example() throws {
        let client = try NIP155Client(
            success: "myapp://nostr/ok", error: "myapp://nostr/error", name: "My app")
        let request = try client.request(
            .signEvent(json: #"{"kind":1,"content":"hello"}"#, returning: .event),
            id: "5f0c9b1e7a42")
        let callback = try open(request.url)
        switch try request.read(callback: callback) {
        case .event(let json): try verify(json)
        case .refused(let code, let reason): show(code, reason)
        default: break
        }
    }
}
