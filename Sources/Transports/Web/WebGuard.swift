// SPDX-License-Identifier: Apache-2.0

internal import Socket

/// What a request of a browser has to be before anything looks at it.
///
/// Any page can have a browser send here; none but our own may learn anything or have it done.
struct WebGuard: Sendable {
    /// The header that names the tab.
    static let tokenHeader = "countersign-web"

    let place: WebPlace
    /// The paths that any page may lead a browser to, in a window: nothing is done there by that.
    let windows: @Sendable (_ path: String) -> Bool
    /// The paths that a person may type, and other programs may open.
    let pages: Set<String>
    let isKnown: @Sendable (_ token: String) -> Bool

    /// The refusal of what does not come from a page of ours; nil where it does, or where a person
    /// has opened one.
    func refusal(of head: HTTPHead) -> HTTPResponse? {
        // Whatever name leads here, by DNS or a hosts file, ours is the only one.
        guard head.values(of: "host") == [place.host] else {
            return .problem(421, "wrong_host", "this is \(place.host)", closes: true)
        }
        let origins = head.values(of: "origin")
        guard origins.isEmpty || origins == [place.origin] else {
            return .problem(403, "other_origin", "this is for pages of its own", closes: true)
        }
        // `none` is what a person types or another program opens.
        let sites = head.values(of: "sec-fetch-site")
        let isWindow = windows(head.path) && isOpening(head, as: [["document"]])
        let isTyped = sites == ["none"] && pages.contains(head.path) && isOpening(head)
        guard sites.isEmpty || sites == ["same-origin"] || isTyped || isWindow else {
            return .problem(403, "other_site", "this is for pages of its own", closes: true)
        }
        return nil
    }

    /// Whether a page is opened in a tab or window of its own, never in a frame.
    private func isOpening(_ head: HTTPHead, as kinds: [[String]] = [[], ["document"]]) -> Bool {
        let mode = head.values(of: "sec-fetch-mode")
        return head.method == "GET" && kinds.contains(head.values(of: "sec-fetch-dest"))
            && (mode.isEmpty || mode == ["navigate"])
    }

    /// The refusal of what does not say that a page of ours sent it; browsers say so of whatever
    /// is not a page that is opened.
    func unsaid(_ head: HTTPHead) -> HTTPResponse? {
        let isGet = head.method == "GET"
        let isOurs =
            head.values(of: "sec-fetch-site") == ["same-origin"]
            && (isGet || head.values(of: "origin") == [place.origin])
        return isOurs ? nil : .problem(403, "other_site", "this is for pages of its own")
    }

    /// The refusal of a tab that nobody opened with a code; nil where somebody did.
    func unpaired(_ head: HTTPHead) -> HTTPResponse? {
        let tokens = head.values(of: Self.tokenHeader)
        guard tokens.count == 1, let token = tokens.first, isKnown(token) else {
            return .problem(
                401, "not_paired", "open it with the address that \"countersign agent web\" tells")
        }
        return nil
    }

    /// What a browser has to know of every answer.
    ///
    /// A window that a page opened has to know that page: it is kept apart from no other.
    static func sealed(_ response: HTTPResponse, isWindow: Bool = false) -> HTTPResponse {
        let apart = [("Cross-Origin-Opener-Policy", "same-origin")]
        return (headers + (isWindow ? [] : apart)).reduce(response) { $0.with($1.0, $1.1) }
    }

    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
