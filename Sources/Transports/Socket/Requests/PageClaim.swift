// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The page that a browser names in the body of a request.
struct PageClaim: Hashable, Sendable {
    let origin: WebOrigin
    let topOrigin: WebOrigin
    /// The origin of the page that fills the tab.
    let tabOrigin: WebOrigin
    let document: String?

    /// The longest name of a document, in bytes.
    private static let documentBytesMax = 128
    /// The members of the body that describe it.
    static let members = ["origin", "top_origin", "tab_origin", "document"]

    /// Reads the members; nil if absent.
    init?(_ json: JSON) throws(Submission.ParseError) {
        guard let named = Self.members.first(where: { json[$0] != nil }) else { return nil }
        guard json["origin"] != nil else {
            throw Submission.ParseError(
                code: "bad_origin", detail: "\(named) needs origin")
        }
        origin = try Self.origin("origin", json)
        topOrigin = json["top_origin"] == nil ? origin : try Self.origin("top_origin", json)
        tabOrigin =
            json["tab_origin"] == nil ? topOrigin : try Self.origin("tab_origin", json)
        document = try Submission.text("document", in: json)
        if let document {
            let isPlain = document.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isPlain, (1...Self.documentBytesMax).contains(document.utf8.count) else {
                throw Submission.ParseError(
                    code: "bad_member",
                    detail: "document must have 1 to \(Self.documentBytesMax) visible characters")
            }
        }
    }

    /// Reads an origin in exactly the form that browsers write; other forms were made up or
    /// changed.
    private static func origin(_ name: String, _ json: JSON) throws(Submission.ParseError)
        -> WebOrigin
    {
        let text = try Submission.text(name, in: json) ?? ""
        guard let origin = try? WebOrigin(text), origin.isPage, origin.text == text else {
            throw Submission.ParseError(
                code: "bad_origin",
                detail: "\(name) must be an origin such as https://app.example")
        }
        return origin
    }

    /// Returns the page, reported by the browser whose profile holds the access token of this name.
    func asked(by profile: String) -> BrowserPage {
        BrowserPage(
            profile: profile, origin: origin.text, party: origin.host.registrableDomain,
            topOrigin: topOrigin.text, document: document,
            tabParty: tabOrigin.host.registrableDomain)
    }
}
