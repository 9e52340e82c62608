// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A form that a web page receives by POST.
package struct LandingForm: Hashable, Sendable {
    let action: String
    let fields: [(name: String, value: String)]

    /// Makes a form to an https address; nil if browsers would send other values than the fields
    /// have.
    package init?(action: String, fields: [(name: String, value: String)]) {
        let isSent = fields.allSatisfy { field in
            !field.name.isEmpty && !Self.ownNames.contains(field.name.lowercased())
                && [field.name, field.value].allSatisfy(Self.isKept)
        }
        guard isSent else { return nil }
        self.action = action
        self.fields = fields
    }

    /// Names with a meaning for browsers: one is sent with an encoding name, the other was sent
    /// without its name.
    private static let ownNames: Set = ["_charset_", "isindex"]

    /// Returns whether browsers send the text unchanged; they normalise line ends and replace
    /// zeros.
    private static func isKept(_ text: String) -> Bool {
        !text.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }
    }

    /// The address without query and fragment.
    package var place: String { String(action.prefix { $0 != "?" && $0 != "#" }) }

    package static func == (left: LandingForm, right: LandingForm) -> Bool {
        left.action == right.action && left.fields.elementsEqual(right.fields, by: ==)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(action) }
}

/// A web address that a page of this server redirects a browser to.
package struct LandingLink: Hashable, Sendable {
    let address: String

    private static let loopbacks: Set = ["127.0.0.1", "[::1]", "localhost"]

    /// Makes a link from an https address, or an http address of this machine; nil for others.
    package init?(_ address: String) {
        guard let origin = try? WebOrigin(address),
            origin.scheme == "https"
                || origin.scheme == "http" && Self.loopbacks.contains(origin.host.text),
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.address = address
    }

    /// The address without query and fragment.
    package var place: String { String(address.prefix { $0 != "?" && $0 != "#" }) }
}
