// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// What a page of the web is sent by POST.
package struct LandingForm: Hashable, Sendable {
    let action: String
    let fields: [(name: String, value: String)]

    /// Makes a form to an https address; nil where browsers would send anything else than what the
    /// fields say.
    package init?(action: String, fields: [(name: String, value: String)]) {
        let isSent = fields.allSatisfy { field in
            !field.name.isEmpty && !Self.ownNames.contains(field.name.lowercased())
                && [field.name, field.value].allSatisfy(Self.isKept)
        }
        guard isSent else { return nil }
        self.action = action
        self.fields = fields
    }

    /// Names that mean something to browsers: the one is sent with the name of an encoding, the
    /// other was sent without its name.
    private static let ownNames: Set = ["_charset_", "isindex"]

    /// Line ends are brought to one form, and a zero to another character.
    private static func isKept(_ text: String) -> Bool {
        !text.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }
    }

    /// Where it goes, without what the page wrote behind that.
    package var place: String { String(action.prefix { $0 != "?" && $0 != "#" }) }

    package static func == (left: LandingForm, right: LandingForm) -> Bool {
        left.action == right.action && left.fields.elementsEqual(right.fields, by: ==)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(action) }
}

/// An address of the web that a page of ours leads a browser to.
package struct LandingLink: Hashable, Sendable {
    let address: String

    private static let loopbacks: Set = ["127.0.0.1", "[::1]", "localhost"]

    /// Makes one of an https address, or of http of this machine; nil for all else.
    package init?(_ address: String) {
        guard let origin = try? WebOrigin(address),
            origin.scheme == "https"
                || origin.scheme == "http" && Self.loopbacks.contains(origin.host.text),
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.address = address
    }

    /// Where it leads, without what is behind that.
    package var place: String { String(address.prefix { $0 != "?" && $0 != "#" }) }
}
