// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// A permission that a client asks for when it connects.
package struct NostrPermission: Hashable, Sendable {
    package let method: NostrMethod
    /// The kind of event; nil for all kinds.
    package let kind: EventKind?

    /// Creates a permission; `kind` is only valid for `sign_event`.
    package init(_ method: NostrMethod, kind: EventKind? = nil) {
        self.method = method
        self.kind = kind
    }

    /// The wish for the hub; a permission for all kinds is too wide to be granted ahead.
    package var wish: Wish { wish(title: nil) }

    /// Returns the wish with another title.
    func wish(title: String?) -> Wish {
        let isEveryKind = method == .signEvent && kind == nil
        return Wish(
            method: method.rawValue,
            facts: kind.map { [Fact("kind", .integer(Int128($0.number)))] } ?? [],
            effects: kind?.effects ?? method.effects,
            dangers: kind?.dangers ?? method.dangers,
            title: title
                ?? (isEveryKind
                    ? "sign_event: every kind of event"
                    : kind.map { "sign_event: \($0.label)" } ?? method.rawValue),
            isGrantable: !isEveryKind)
    }
}
