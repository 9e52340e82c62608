// SPDX-License-Identifier: Apache-2.0

internal import Socket

/// The checks of a browser's request before it is processed.
///
/// Any page can make a browser send requests here. Only pages of this server may read data or cause
/// effects.
struct WebGuard: Sendable {
    /// The header that contains the tab's token.
    static let tokenHeader = "countersign-web"

    let port: UInt16
    let names: WebNames
    let isKnown: @Sendable (_ token: String) -> Bool

    /// Returns the pages that a request is for; nil for every other host name of this port.
    func site(of head: HTTPHead) -> WebSite? {
        let hosts = head.values(of: "host")
        return hosts.count == 1 ? names.site(host: hosts[0], port: port) : nil
    }

    private func origin(of site: WebSite) -> String {
        (site == .inbox ? names.inbox : names.windows).origin(port: port)
    }

    /// Returns the refusal of a request from elsewhere than a page of this server.
    ///
    /// A person may also open a page directly.
    func refusal(of head: HTTPHead, at site: WebSite?) -> HTTPResponse? {
        guard let site else { return Self.wrongHost }
        if let refusal = Self.unattended(head) { return refusal }
        let origins = head.values(of: "origin")
        guard origins.isEmpty || origins == [origin(of: site)] else {
            return .problem(
                403, "other_origin", "only the agent's own pages can do this", closes: true)
        }
        // Browsers send `none` for an address that a person types or a program opens.
        let sites = head.values(of: "sec-fetch-site")
        let isWindow =
            site == .windows && NEARPages.window(head.path) != nil
            && isOpening(head, as: [["document"]])
        let typed = site == .windows ? NEARPages.bridge : "/"
        let isTyped = sites == ["none"] && head.path == typed && isOpening(head)
        guard sites.isEmpty || sites == ["same-origin"] || isTyped || isWindow else {
            return .problem(
                403, "other_site", "only the agent's own pages can do this", closes: true)
        }
        return nil
    }

    /// The response under a wrong host name, such as after DNS rebinding or from an earlier start.
    ///
    /// It also covers 127.0.0.1, where an earlier server of the port may have left pages in a
    /// browser.
    static let wrongHost = HTTPResponse.problem(
        421, "wrong_host",
        "this address is not in use (any more): run \"countersign agent web\" for the inbox, or "
            + "\"countersign near manifest\" for a wallet",
        closes: true
    ).with("Clear-Site-Data", "\"cache\", \(storage)")

    /// The value of `Clear-Site-Data` that deletes service workers and storage of an origin.
    ///
    /// Clearing the cache as well would take a browser long.
    static let storage = "\"storage\""

    /// Returns the refusal of automatic fetches: a prefetch, or the script of a service worker.
    ///
    /// Pages of this server have no service worker.
    static func unattended(_ head: HTTPHead) -> HTTPResponse? {
        guard head.values(of: "service-worker").isEmpty else {
            // An earlier server of the port left the service worker.
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

    /// Returns whether a page is opened in a separate tab or window, not in a frame.
    private func isOpening(_ head: HTTPHead, as kinds: [[String]] = [[], ["document"]]) -> Bool {
        let mode = head.values(of: "sec-fetch-mode")
        return head.method == "GET" && kinds.contains(head.values(of: "sec-fetch-dest"))
            && (mode.isEmpty || mode == ["navigate"])
    }

    /// Returns the refusal of a request without the headers of a page of this server.
    ///
    /// Browsers send them with every request except the opening of a page.
    func unmarked(_ head: HTTPHead, at site: WebSite) -> HTTPResponse? {
        let isGet = head.method == "GET"
        let isOurs =
            head.values(of: "sec-fetch-site") == ["same-origin"]
            && (isGet || head.values(of: "origin") == [origin(of: site)])
        return isOurs ? nil : .problem(403, "other_site", "only the agent's own pages can do this")
    }

    /// Returns the refusal of a tab that was not opened with a code; nil if it was.
    func unpaired(_ head: HTTPHead) -> HTTPResponse? {
        let tokens = head.values(of: Self.tokenHeader)
        guard tokens.count == 1, let token = tokens.first, isKnown(token) else {
            return .problem(
                401, "not_paired", "open it with the address that \"countersign agent web\" prints")
        }
        return nil
    }

    /// Returns the response with the security headers for browsers.
    ///
    /// A window must keep access to the page that opened it, so it is not isolated.
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
