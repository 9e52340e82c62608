// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
package import SigningCore
internal import SigningDigests
internal import Socket
internal import Synchronization

/// A page on a free port of this machine that hands an answer to a browser, once.
///
/// So the answer is not in the arguments of a program, and with POST not in an address either
/// (NIP-155, 8.3). The host name of the page is random, so that the browser has no data under this
/// name from an earlier server of the port.
package final class AnswerLanding: Sendable {
    /// The result.
    package enum Outcome: Hashable, Sendable {
        /// A browser fetched it.
        case fetched
        /// It was not fetched in time, or it was ended.
        case expired
        /// A browser could not be opened.
        case unopened(TransportError)
    }

    /// The action of the browser with the answer.
    package enum Content: Sendable {
        /// It sends a form.
        case form(LandingForm)
        /// It opens an address.
        case link(LandingLink)
    }

    private let port: WebPort
    private let name: WebName
    private let path: String
    private let page: HTTPResponse
    /// The page's only script.
    private let script: String
    /// The result; nil while the page is served.
    private let ending = Mutex<Outcome?>(nil)
    private let over = Gate()

    /// The time to wait for the browser, in seconds.
    package static let secondsMax: Int64 = 120
    /// The time in seconds for which later requests get the message that the page was used.
    private static let goneSeconds: Int64 = 2
    private static let limits = TransportLimits(
        connectionsMax: 8, framesMax: 8, framesPerPeerMax: 8, drainSecondsMax: 5)

    /// The number of random bytes for the address: half for its name, half for its path.
    package static let secretByteCount = 2 * WebName.byteCount

    /// Takes a port; `secret` is 32 random bytes.
    package init(_ content: Content, secret: [UInt8]) throws(TransportError) {
        precondition(secret.count == Self.secretByteCount, "the secret has the wrong length")
        port = try WebPort.free()
        name = WebName(secret)
        let rest = Array(secret.suffix(WebName.byteCount))
        path = "/" + Hex.encode(rest.span)
        switch content {
        case .form(let form): (page, script) = (Self.page(form), Self.submitting)
        case .link(let link): (page, script) = (Self.page(link), Self.leading)
        }
    }

    /// The address to open in a browser; it reveals nothing of the answer.
    package var address: String { name.origin(port: port.number) + path }

    /// Serves until a browser has fetched the page or the time is over.
    ///
    /// `present` opens the browser, on `threads`, once connections are accepted.
    package func serve(
        seconds: Int64 = AnswerLanding.secondsMax, on threads: (any TaskExecutor)? = nil,
        _ present: @escaping @Sendable () -> TransportError?
    ) async throws(TransportError) -> Outcome {
        let clients = Connections(Self.limits)
        let place = port.place
        let server = try HTTPServer(
            place.entrance(by: "landing", listen: port.listen), clients: clients,
            connectionsMax: Self.limits.connectionsMax,
            tally: Tally(wires: []), bodyBytesMax: 0, on: threads,
            respond: { [self] in response(to: $0.head) })
        let serving = Task { await server.serve {} }
        Task(executorPreference: threads) { [self] in
            if let error = present() { end(.unopened(error)) }
        }
        await over.wait(seconds: seconds)
        end(.expired)
        let ending = ending.withLock { $0 } ?? .expired
        // A second request receives an explanation for a while.
        if ending == .fetched { await Gate().wait(seconds: Self.goneSeconds) }
        clients.stop()
        server.stopListening()
        await server.end()
        serving.cancel()
        _ = await serving.value
        return ending
    }

    /// Sets the result unless there is one already; returns whether it was set.
    @discardableResult
    private func end(_ way: Outcome) -> Bool {
        let isFirst = ending.withLock { ending in
            guard ending == nil else { return false }
            ending = way
            return true
        }
        if isFirst { over.open() }
        return isFirst
    }

    private func response(to head: HTTPHead) -> HTTPResponse {
        sealed(refusal(of: head) ?? (end(.fetched) ? page : Self.fetchedBefore))
    }

    /// Returns the refusal of a request that is not from the browser that a program opened.
    private func refusal(of head: HTTPHead) -> HTTPResponse? {
        // Under any other name, an earlier server of the port may have left a page.
        guard head.values(of: "host") == [name.host(port.number)] else {
            return .problem(421, "wrong_host", "this address is not in use", closes: true)
        }
        if let refusal = WebGuard.unattended(head) { return refusal }
        guard Digest.sha256(head.path.utf8.span) == Digest.sha256(path.utf8.span),
            head.query.isEmpty
        else {
            return .problem(404, "not_found", "not found", closes: true)
        }
        guard head.method == "GET" else {
            return .problem(405, "wrong_method", "use GET", closes: true)
        }
        // A page that knows the address must not read the answer, in a frame or otherwise.
        let sites = head.values(of: "sec-fetch-site")
        let kinds = head.values(of: "sec-fetch-dest")
        guard head.values(of: "origin").isEmpty, sites.isEmpty || sites == ["none"],
            kinds.isEmpty || kinds == ["document"]
        else { return .problem(403, "other_site", "no other page may lead here", closes: true) }
        return nil
    }

    private static let fetchedBefore = HTTPResponse.problem(
        410, "used", "the answer was fetched already", closes: true)

    private static let submitting = "HTMLFormElement.prototype.submit.call(document.forms[0])"
    private static let leading = "location.replace(document.links[0].href)"

    private static func page(_ link: LandingLink) -> HTTPResponse {
        let place = (try? WebOrigin(link.address))?.text ?? ""
        let text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Countersign</title></head><body>
            <p>The answer goes to \(escaped(place)).</p>
            <a href="\(escaped(link.address))">Go on</a>
            <script>\(leading)</script></body></html>

            """
        return HTTPResponse(200, type: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    private static func page(_ form: LandingForm) -> HTTPResponse {
        let fields = form.fields.map { field in
            "<input type=\"hidden\" name=\"\(escaped(field.name))\" "
                + "value=\"\(escaped(field.value))\">"
        }.joined(separator: "\n")
        let place = (try? WebOrigin(form.action))?.text ?? ""
        let text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Countersign</title></head><body>
            <p>The answer goes to \(escaped(place)).</p>
            <form method="post" action="\(escaped(form.action))">
            \(fields)
            <button>Go on</button></form>
            <script>\(submitting)</script></body></html>

            """
        return HTTPResponse(200, type: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private func sealed(_ response: HTTPResponse) -> HTTPResponse {
        let hash = Base64.encode(Digest.sha256(script.utf8.span).span)
        let policy =
            "default-src 'none'; script-src 'sha256-\(hash)'; form-action https:; "
            + "base-uri 'none'; frame-ancestors 'none'"
        return response.with("Content-Security-Policy", policy)
            .with("X-Content-Type-Options", "nosniff").with("X-Frame-Options", "DENY")
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Opener-Policy", "same-origin")
            .with("Cross-Origin-Resource-Policy", "same-origin")
    }
}
