// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What a client says about itself: shown, and believed by nobody.
struct ClientHints: Hashable, Sendable {
    static let scalarsMax = 64

    let name: String?
    let homepage: String?
    /// Whether the homepage it names is another web place than the answer goes to.
    let isHomepageElsewhere: Bool

    init(_ parameters: Parameters, answeredAt callback: Callback) {
        name = Self.name(parameters)
        let url = parameters[.clientURL]
        homepage = url.flatMap(Self.plain)
        guard let url, let origin = callback.origin, origin.scheme == "https" else {
            isHomepageElsewhere = false
            return
        }
        isHomepageElsewhere = (try? Callback(url, for: NIP155Configuration()))?.origin != origin
    }

    /// The name a client gives itself.
    static func name(_ parameters: Parameters) -> String? {
        (parameters[.source] ?? parameters[.clientName]).flatMap(plain)
    }

    /// The visible part of a text, cut; nil if nothing is left.
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
