// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension NostrEvent {
    /// Tags that only describe the content or its display.
    private static let describing: Set = [
        "alt", "client", "content-warning", "emoji", "image", "imeta", "nonce", "published_at",
        "subject", "summary", "t", "title",
    ]

    /// True if a grant covers later events in which this tag differs.
    private func isFree(_ name: String) -> Bool {
        switch kind {
        // Each login answers a different challenge.
        case .relayAuthentication: name == "challenge"
        default: !kind.isLogin && !kind.isList && Self.describing.contains(name)
        }
    }

    /// All other tags in their order, as JSON: the parties and subjects of the event.
    ///
    /// Nil if the event has no such tag.
    package var boundTags: String? {
        let bound = tags.filter { !isFree($0[0]) }
            .map { tag in JSON.array(tag.map { .string($0) }) }
        guard !bound.isEmpty else { return nil }
        return String(decoding: JSON.array(bound).write(), as: UTF8.self)
    }
}
