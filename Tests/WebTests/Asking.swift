// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Synchronization
import Testing

@testable import Web

/// A signer that keeps the frames, and answers at once or when the test allows.
final class KeptFrames: Signer {
    private struct State {
        var frames: [Frame] = []
        var isOpen: Bool
        var leftCount = 0
    }

    private let state: Mutex<State>

    init(isOpen: Bool = true) { state = Mutex(State(isOpen: isOpen)) }

    var frames: [Frame] { state.withLock { $0.frames } }
    var leftCount: Int { state.withLock { $0.leftCount } }

    func release() { state.withLock { $0.isOpen = true } }

    func answer(_ frame: Frame, over _: AdapterID?) async -> Answer {
        state.withLock { $0.frames.append(frame) }
        while !state.withLock({ $0.isOpen }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(2))
        }
        if Task.isCancelled { state.withLock { $0.leftCount += 1 } }
        return .refused(
            AdapterError(
                code: "test", reason: "a secret of the owner", reply: .message(frame.bytes)))
    }
}

extension Page {
    static let key = "0123456789abcdef0123456789abcdef"

    /// The body that our own window submits for a page.
    static func asking(
        _ frame: String = "{}", key: String = key, _ who: String = pageText
    ) -> String {
        #"{"key":"\#(key)","frame":\#(JSON.string(frame).written),\#(who)}"#
    }

    static let pageText = #""page":"https://app.example","framed":false"#

    /// Submits it like our own window, except for the given `headers`.
    func hand(_ body: String, _ headers: [String: String?] = [:]) async throws -> Reply {
        let own: [String: String?] = ["Countersign-Web": nil]
        let reply = try await ask("POST", "/near/requests", body, own.merging(headers) { $1 })
        return try #require(reply)
    }
}

extension Reply {
    func member(_ name: String) -> String? {
        (try? JSON.parse(Array(body.utf8).span))?[name]?.text
    }
}

extension JSON {
    /// The JSON as text.
    fileprivate var written: String { String(decoding: write(), as: UTF8.self) }
}
