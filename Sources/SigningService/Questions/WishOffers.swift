// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The wishes of a client for permissions beyond the current request.
extension ApprovalQuestion {
    /// True if a wish can be granted now.
    package var hasOpenWishes: Bool { wishes.contains { $0.state == .open } }

    /// True if the answer to the question itself can also grant wishes.
    package var offersMore: Bool { act == .decrypt && hasOpenWishes }

    /// The wishes; those without a number cannot be granted now.
    package var wishList: String {
        var rows = [
            act == .decrypt
                ? "more requests to decrypt wait for this answer: a no denies all of them;\n"
                    + "you may allow this without a question each time:"
                : "the client asks to do this without a question each time:"
        ]
        for (place, offer) in wishes.enumerated() {
            let dangers = offer.wish.dangers.map(\.name).joined(separator: ", ")
            let title = offer.wish.title + (dangers.isEmpty ? "" : " (\(dangers))")
            switch offer.state {
            case .open: rows.append("  \(place + 1)  \(title)")
            case .granted: rows.append("  -  \(title): already granted")
            case .closed: rows.append("  -  \(title): asked about, or denied, each time")
            }
        }
        return rows.joined(separator: "\n")
    }
}

/// A choice of wishes as a person gives it, not yet compared with its question.
package struct WishChoice: Hashable, Sendable {
    /// The places of the wishes in their list; nil for all open ones.
    private let places: [Int]?
    private let remembering: Remembering

    /// Parses numbers or `all`, then a span, then optionally the number of uses of each wish, such
    /// as `1,3 1d` or `all 1h 500`; nil if invalid.
    package init?(_ text: String) {
        var words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
        var usesMax: Int64?
        if words.count > 2, let uses = words.last.flatMap({ Int64($0) }) {
            guard uses > 0 else { return nil }
            usesMax = uses
            words.removeLast()
        }
        guard words.count > 1, let span = words.popLast().flatMap(Remembering.Span.init) else {
            return nil
        }
        remembering = Remembering(span, usesMax: usesMax)
        if words == ["all"] {
            places = nil
            return
        }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == words.count, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        places = numbers.map { $0 - 1 }
    }

    /// Returns the wishes of a question; nil if one of them cannot be granted for this span.
    package func granted(in question: ApprovalQuestion) -> GrantedWishes? {
        guard question.spans.contains(remembering.span) else { return nil }
        let open = Set(question.wishes.indices.filter { question.wishes[$0].state == .open })
        guard let places else { return GrantedWishes(open, for: remembering) }
        guard places.allSatisfy(open.contains) else { return nil }
        return GrantedWishes(Set(places), for: remembering)
    }
}
