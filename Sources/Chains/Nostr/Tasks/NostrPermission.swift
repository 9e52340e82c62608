// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Something a client would like to do later, as it says when it connects.
package struct NostrPermission: Hashable, Sendable {
    package let method: NostrMethod
    /// The only kind of event; nil for all.
    package let kind: EventKind?

    /// `kind` belongs to `sign_event`.
    package init(_ method: NostrMethod, kind: EventKind? = nil) {
        self.method = method
        self.kind = kind
    }

    /// The wish as the hub sees it; every kind of event is too wide to be granted ahead.
    package var wish: Wish { wish(title: nil) }

    /// The same in other words.
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
