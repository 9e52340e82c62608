// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NIP155
import NostrSamples
import SigningCodecs
import Testing

@Suite("The example for clients in the README")
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

    @Test("It is the one that runs here, line by line")
    func same() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(
            contentsOf: root.appending(path: "Plugins/NIP155/README.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let fence = try #require(readme.firstRange(of: "```swift\n"))
        let lines = readme[fence.upperBound...].prefix { $0 != "`" }
            .split(separator: "\n").map { "        \($0)\n" }
        #expect(lines.count > 8)
        #expect(source.contains(lines.joined()))
    }
}
