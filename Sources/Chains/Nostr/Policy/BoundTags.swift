// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension NostrEvent {
    /// Tags that only say how to show the content, or describe it.
    private static let describing: Set = [
        "alt", "client", "content-warning", "emoji", "image", "imeta", "nonce", "published_at",
        "subject", "summary", "t", "title",
    ]

    /// Whether a tag may be another in later events on the word of a remembered yes.
    private func isFree(_ name: String) -> Bool {
        switch kind {
        // Each login answers a challenge of its own.
        case .relayAuthentication: name == "challenge"
        default: !kind.isLogin && !kind.isList && Self.describing.contains(name)
        }
    }

    /// All other tags, whole and in their order, as JSON: whom and what the event is about.
    ///
    /// Nil where there are none.
    package var boundTags: String? {
        let bound = tags.filter { !isFree($0[0]) }
            .map { tag in JSON.array(tag.map { .string($0) }) }
        guard !bound.isEmpty else { return nil }
        return String(decoding: JSON.array(bound).write(), as: UTF8.self)
    }
}
