// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// A client's description of itself when it connects, which is only shown.
package struct ClientMetadata: Hashable, Sendable {
    /// The name of the client.
    package let name: String?
    /// The web page of the client.
    package let url: String?
    /// The picture of the client, which is never fetched.
    package let image: String?

    private static let bytesMax = 4 << 10
    private static let nameScalarsMax = 64
    private static let urlScalarsMax = 256

    /// Creates the description with texts cut to the displayed length; nil without any text.
    package init?(name: String?, url: String?, image: String?) {
        self.name = Self.cut(name, Self.nameScalarsMax)
        self.url = Self.cut(url, Self.urlScalarsMax)
        self.image = Self.cut(image, Self.urlScalarsMax)
        if self.name == nil, self.url == nil, self.image == nil { return nil }
    }

    /// Reads the JSON of a `connect` or of a URI; nil if it cannot be read.
    package init?(json text: String) {
        guard text.utf8.count <= Self.bytesMax, let json = try? JSON.parse(text.utf8.span) else {
            return nil
        }
        self.init(name: json["name"]?.text, url: json["url"]?.text, image: json["image"]?.text)
    }

    /// Returns the permissions in the JSON of a URI, separated by commas.
    static func perms(in text: String) -> String? {
        guard text.utf8.count <= bytesMax, let json = try? JSON.parse(text.utf8.span) else {
            return nil
        }
        return json["perms"]?.text
            ?? json["perms"]?.list?.compactMap(\.text).joined(separator: ",")
    }

    /// The description in the form of `connect`.
    package var json: String {
        let members = [("name", name), ("url", url), ("image", image)].compactMap { name, text in
            text.map { JSONObject.Member(name: name, value: .string($0)) }
        }
        return String(decoding: JSON.object(JSONObject(members)).write(), as: UTF8.self)
    }

    var lines: [Summary.Line] {
        [("calls itself", name), ("web page", url), ("picture", image)].compactMap {
            label, text in
            text.map { Summary.Line(label, $0, by: .client) }
        }
    }

    private static func cut(_ text: String?, _ scalarsMax: Int) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(scalarsMax)))
    }
}
