// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import Socket

/// The files at each path.
struct WebPages: Sendable {
    private let pairing: WebPairing
    private let guardian: WebGuard
    private let resources: [any SocketResource]
    private let requests: PageRequests
    private let acts: WebFile

    init(
        pairing: WebPairing, port: UInt16, names: WebNames, resources: [any SocketResource],
        acts: [PageAct], requests: PageRequests
    ) {
        self.pairing = pairing
        guardian = WebGuard(port: port, names: names, isKnown: pairing.isKnown)
        self.resources = resources
        self.requests = requests
        self.acts = .acts(acts)
    }

    /// The files, by path; they contain no personal data.
    private static let files: [String: WebFile] = [
        "/": .html(PackageResources.inbox_html),
        "/inbox.css": .css(PackageResources.inbox_css),
        "/inbox.js": .script(PackageResources.inbox_js),
        "/question.js": .script(PackageResources.question_js),
        "/record.js": .script(PackageResources.record_js),
        "/pictures.js": .script(PackageResources.pictures_js),
        "/dom.js": .script(PackageResources.dom_js),
        "/api.js": .script(PackageResources.api_js),
        "/box.js": .script(PackageResources.box_js),
        "/icon.js": .script(PackageResources.icon_js),
        "/visible.js": .script(PackageResources.visible_js),
    ]

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let site = guardian.site(of: request.head)
        let window = site == .windows ? NEARPages.window(request.head.path) : nil
        let response = await response(to: request, at: site, window)
        return WebGuard.sealed(response, isWindow: window != nil)
    }

    private func response(
        to request: HTTPRequest, at site: WebSite?, _ window: WebFile?
    ) async -> HTTPResponse {
        if let refusal = guardian.refusal(of: request.head, at: site) { return refusal }
        switch site {
        case .inbox: return await ofInbox(request)
        case .windows: return await ofWindows(request, window)
        case nil: return WebGuard.wrongHost
        }
    }

    private func ofWindows(_ request: HTTPRequest, _ window: WebFile?) async -> HTTPResponse {
        if let window {
            // The page itself reads the query. These pages store nothing in the browser, so any
            // stored data came from an earlier server of the port.
            return request.head.method == "GET"
                ? window.response.with("Clear-Site-Data", WebGuard.storage)
                : request.head.misdirected(methods: ["GET"]) ?? .notFound
        }
        if let file = NEARPages.files[request.head.path] {
            let query = request.head.path == NEARPages.bridge ? ["network", "app"] : []
            return request.head.misdirected(methods: ["GET"], query: query) ?? file.response
        }
        if let refusal = guardian.unmarked(request.head, at: .windows) { return refusal }
        return await requests.respond(to: request) ?? .notFound
    }

    private func ofInbox(_ request: HTTPRequest) async -> HTTPResponse {
        if let file = request.head.path == "/acts.js" ? acts : Self.files[request.head.path] {
            return request.head.misdirected(methods: ["GET"]) ?? file.response
        }
        if request.head.path == "/web/pair" { return paired(request) }
        if let refusal = guardian.unpaired(request.head) { return refusal }
        for resource in resources {
            if let response = await resource.respond(to: request) { return response }
        }
        return .notFound
    }

    private func paired(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        guard request.head.isJSON else { return .notJSON }
        let limits = JSONLimits(bytesMax: 256, depthMax: 1)
        guard let json = try? JSON.parse(request.body.span, limits: limits),
            json.object?.names == ["code"], let code = json["code"]?.text
        else { return .problem(400, "bad_json", "the body must be an object with a code") }
        guard let token = pairing.pair(code) else {
            return .problem(
                403, "bad_code",
                "the address was used before or is too old: run \"countersign agent web\" for a "
                    + "new one"
            )
        }
        return HTTPResponse(201, ["token": .string(token)])
    }
}

/// A file to serve.
struct WebFile: Sendable {
    private let type: String
    private let body: [UInt8]

    static func html(_ body: [UInt8]) -> WebFile { WebFile(type: "text/html", body: body) }
    static func css(_ body: [UInt8]) -> WebFile { WebFile(type: "text/css", body: body) }
    static func script(_ body: [UInt8]) -> WebFile { WebFile(type: "text/javascript", body: body) }

    /// The response to a browser.
    var response: HTTPResponse { HTTPResponse(200, type: "\(type); charset=utf-8", body: body) }
}
