// SPDX-License-Identifier: Apache-2.0

internal import Socket

/// What a request of a browser has to be before anything looks at it.
///
/// Any page can have a browser send here; none but our own may learn anything or have it done.
struct WebGuard: Sendable {
    /// The header that names the tab.
    static let tokenHeader = "countersign-web"

    let place: WebPlace
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
        guard sites.isEmpty || sites == ["same-origin"] || sites == ["none"] && isOpening(head)
        else {
            return .problem(403, "other_site", "this is for pages of its own", closes: true)
        }
        return nil
    }

    private func isOpening(_ head: HTTPHead) -> Bool {
        let mode = head.values(of: "sec-fetch-mode")
        let place = head.values(of: "sec-fetch-dest")
        return head.method == "GET" && head.path == "/" && (mode.isEmpty || mode == ["navigate"])
            && (place.isEmpty || place == ["document"])
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
    static func sealed(_ response: HTTPResponse) -> HTTPResponse {
        headers.reduce(response) { $0.with($1.0, $1.1) }
    }

    private static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
