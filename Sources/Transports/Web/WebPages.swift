// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import Socket

/// What stands at each path.
struct WebPages: Sendable {
    private let pairing: WebPairing
    private let guardian: WebGuard
    private let resources: [any SocketResource]

    init(pairing: WebPairing, place: WebPlace, resources: [any SocketResource]) {
        self.pairing = pairing
        guardian = WebGuard(place: place, isKnown: pairing.isKnown)
        self.resources = resources
    }

    /// The files, by path; they hold nothing that is anybody's.
    private static let files: [String: (type: String, body: [UInt8])] = [
        "/": ("text/html; charset=utf-8", PackageResources.inbox_html),
        "/inbox.css": ("text/css; charset=utf-8", PackageResources.inbox_css),
        "/inbox.js": ("text/javascript; charset=utf-8", PackageResources.inbox_js),
        "/question.js": ("text/javascript; charset=utf-8", PackageResources.question_js),
        "/record.js": ("text/javascript; charset=utf-8", PackageResources.record_js),
        "/pictures.js": ("text/javascript; charset=utf-8", PackageResources.pictures_js),
        "/dom.js": ("text/javascript; charset=utf-8", PackageResources.dom_js),
        "/api.js": ("text/javascript; charset=utf-8", PackageResources.api_js),
        "/box.js": ("text/javascript; charset=utf-8", PackageResources.box_js),
    ]

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let refusal = guardian.refusal(of: request.head) { return refusal }
        if let file = Self.files[request.head.path] {
            return request.head.misdirected(methods: ["GET"])
                ?? HTTPResponse(200, type: file.type, body: file.body)
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
        else { return .problem(400, "bad_json", "the body is an object with a code") }
        guard let token = pairing.pair(code) else {
            return .problem(
                403, "bad_code", "the address was used or is too old: \"countersign agent web\"")
        }
        return HTTPResponse(201, ["token": .string(token)])
    }
}
