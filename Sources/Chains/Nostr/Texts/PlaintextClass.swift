// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The class of a text that is encrypted, judged by its form.
package enum PlaintextClass: String, Hashable, Sendable {
    /// A Nostr event or a part of one, as in gift wraps and drafts.
    case event
    /// An array of tags, as in the private part of lists.
    case tags
    case text

    /// Classifies a text; nil if in doubt.
    ///
    /// Clients parse JSON less strictly, so one of them could find an event or tags in such a text.
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

    /// True for white space and marks that some parsers skip before a value.
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
