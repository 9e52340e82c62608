// SPDX-License-Identifier: Apache-2.0

internal import Socket

/// What a request of a browser has to be before anything looks at it.
///
/// Any page can have a browser send here; none but our own may learn anything or have it done.
struct WebGuard: Sendable {
    /// The header that names the tab.
    static let tokenHeader = "countersign-web"

    let port: UInt16
    let names: WebNames
    let isKnown: @Sendable (_ token: String) -> Bool

    /// The pages that a request is for; nil for every other name that leads to this port.
    func site(of head: HTTPHead) -> WebSite? {
        let hosts = head.values(of: "host")
        return hosts.count == 1 ? names.site(host: hosts[0], port: port) : nil
    }

    private func origin(of site: WebSite) -> String {
        (site == .inbox ? names.inbox : names.windows).origin(port: port)
    }

    /// The refusal of what does not come from a page of ours; nil where it does, or where a person
    /// has opened one.
    func refusal(of head: HTTPHead, at site: WebSite?) -> HTTPResponse? {
        guard let site else { return Self.wrongHost }
        if let refusal = Self.unattended(head) { return refusal }
        let origins = head.values(of: "origin")
        guard origins.isEmpty || origins == [origin(of: site)] else {
            return .problem(403, "other_origin", "this is for pages of its own", closes: true)
        }
        // `none` is what a person types or another program opens.
        let sites = head.values(of: "sec-fetch-site")
        let isWindow =
            site == .windows && NEARPages.window(head.path) != nil
            && isOpening(head, as: [["document"]])
        let typed = site == .windows ? NEARPages.bridge : "/"
        let isTyped = sites == ["none"] && head.path == typed && isOpening(head)
        guard sites.isEmpty || sites == ["same-origin"] || isTyped || isWindow else {
            return .problem(403, "other_site", "this is for pages of its own", closes: true)
        }
        return nil
    }

    /// The answer under any name that is not ours: DNS rebinding, an address of an earlier start,
    /// or 127.0.0.1, under which an earlier server of the port may have left pages in a browser.
    static let wrongHost = HTTPResponse.problem(
        421, "wrong_host",
        "no page has this address (any more): run \"countersign agent web\" for the inbox, "
            + "or \"countersign near manifest\" for a wallet", closes: true
    ).with("Clear-Site-Data", "\"cache\", \(storage)")

    /// The value of `Clear-Site-Data` by which a browser forgets service workers and storage of an
    /// origin.
    ///
    /// To clear its cache as well takes a browser long.
    static let storage = "\"storage\""

    /// The refusal of what a browser fetches without a person: a page in advance, or the script of
    /// a service worker, which none of our pages has.
    static func unattended(_ head: HTTPHead) -> HTTPResponse? {
        guard head.values(of: "service-worker").isEmpty else {
            // An earlier server of the port left it.
            return .problem(403, "no_worker", "no page here has a service worker", closes: true)
                .with("Clear-Site-Data", "\"cache\", \(storage)")
        }
        let names = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
        let purposes = names.flatMap { head.values(of: $0) }
        guard purposes.isEmpty else {
            return .problem(403, "prefetch", "no page here is fetched in advance", closes: true)
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
    func unsaid(_ head: HTTPHead, at site: WebSite) -> HTTPResponse? {
        let isGet = head.method == "GET"
        let isOurs =
            head.values(of: "sec-fetch-site") == ["same-origin"]
            && (isGet || head.values(of: "origin") == [origin(of: site)])
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
