// SPDX-License-Identifier: Apache-2.0

import ExampleSigner
import NIP155
import NIP155Client
import NIP155Messages
import Nostr
import SigningCodecs
import SigningService

/// An app that asks a NIP-155 signer by URL to sign a note.
@main
struct Main {
    static func main() async throws {
        let signer = try ExampleSigner(NostrChain(), NIP155Adapter())
        /// Opens the URL; the signer opens the callback, by which the app gets the answer.
        func open(_ url: String) async throws -> String {
            String(decoding: try await signer.reply(to: Array(url.utf8)), as: UTF8.self)
        }

        let client = try NIP155Client(
            success: "myapp://nostr/ok", error: "myapp://nostr/error", name: "My app")
        let request = try client.request(
            .signEvent(json: #"{"kind":1,"content":"hello"}"#, returning: .event),
            id: "5f0c9b1e7a42")
        let callback = try await open(request.url)
        switch try request.read(callback: callback) {
        case .event(let json):
            let event = try JSON.parse(json.utf8.span)
            try expect("author", event["pubkey"]?.text, signer.account.address)
        case .refused(let code, let reason): throw Unexpected("\(code.rawValue): \(reason)")
        default: throw Unexpected("an answer to another method")
        }
    }
}
