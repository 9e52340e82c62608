// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import SigningCore

/// A client's description of itself, which is only shown.
struct ClientHints: Hashable, Sendable {
    static let scalarsMax = 64

    let name: String?
    let homepage: String?
    /// True if the homepage is on another site than the destination of the answer.
    let isHomepageElsewhere: Bool

    init(_ parameters: Parameters, answeredAt callback: Callback) {
        name = Self.name(parameters)
        let url = parameters[.clientURL]
        homepage = url.flatMap(Self.plain)
        guard let url, let origin = callback.origin, origin.scheme == "https" else {
            isHomepageElsewhere = false
            return
        }
        isHomepageElsewhere = (try? Callback(url, for: CallbackRules()))?.origin != origin
    }

    /// Returns the name that a client gives itself.
    static func name(_ parameters: Parameters) -> String? {
        (parameters[.source] ?? parameters[.clientName]).flatMap(plain)
    }

    /// Returns the visible part of a text, cut; nil if it is empty.
    private static func plain(_ text: String) -> String? {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(scalarsMax)
        where scalar.properties.generalCategory != .control
            && !VisibleText.hasHidden(String(scalar))
        {
            plain.append(scalar)
        }
        return plain.isEmpty ? nil : String(plain)
    }
}
