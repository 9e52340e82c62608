// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// What a text is that is encrypted, as far as its form tells.
package enum PlaintextClass: String, Hashable, Sendable {
    /// A Nostr event or a part of one, as in gift wraps and drafts.
    case event
    /// An array of tags, as in the private part of lists.
    case tags
    case text

    /// Nil in doubt: clients read JSON more loosely than this does, and one of them could find an
    /// event or tags in it.
    package init?(_ text: String) {
        let start = text.unicodeScalars.first { !Self.isPassedOver($0) }
        guard let start, ["{", "[", "\""].contains(start) else {
            self = .text
            return
        }
        guard let json = try? JSON.parse(text.utf8.span) else { return nil }
        if json.object != nil {
            guard json["kind"] != nil else {
                self = .text
                return
            }
            guard json["kind"]?.integerValue != nil, json["content"]?.text != nil else {
                return nil
            }
            self = .event
        } else {
            guard (try? NostrEvent.tags(json)) != nil else { return nil }
            self = .tags
        }
    }

    /// White space and marks that some readers skip before a value.
    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
            || scalar.properties.generalCategory == .control
    }

    /// The class in words.
    package var label: String {
        switch self {
        case .event: "a Nostr event"
        case .tags: "a list of tags"
        case .text: "text"
        }
    }
}
