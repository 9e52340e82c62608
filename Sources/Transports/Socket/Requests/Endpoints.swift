// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The endpoints of the socket; `Docs/openapi.yaml` describes them.
struct Endpoints: Sendable {
    let registry: RequestRegistry
    let tally: Tally
    let wires: [String]
    let frameBytesMax: Int
    let readiness: @Sendable () async -> String?
    /// Returns the metrics in the text format of Prometheus.
    let metrics: @Sendable () async -> String
    let resources: [any SocketResource]
    let authenticator: TokenAuthenticator

    /// The largest body: the largest frame in Base64 and the other members.
    var bodyBytesMax: Int { (frameBytesMax + 2) / 3 * 4 + SocketLimits.bodyMarginBytes }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let response = await route(request)
        if response.status == 503 { tally.refuse("busy") }
        return response
    }

    private func route(_ request: HTTPRequest) async -> HTTPResponse {
        // The most frequent path is checked first.
        if request.head.path == "/v1/requests" { return await submit(request) }
        let parts = request.head.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].isEmpty, parts[1] == "v1" else { return .notFound }
        for resource in resources {
            if let response = await resource.respond(to: request) { return response }
        }
        switch (parts[2], parts.count) {
        case ("health", 3): return plain(request) ?? HTTPResponse(200, ["status": "ok"])
        case ("ready", 3): return await ready(request)
        case ("metrics", 3):
            if let refusal = plain(request) { return refusal }
            return .metrics(await metrics())
        case ("requests", 4): return await one(String(parts[3]), request)
        default: return .notFound
        }
    }

    private func ready(_ request: HTTPRequest) async -> HTTPResponse {
        if let refusal = plain(request) { return refusal }
        guard let reason = await readiness() else { return HTTPResponse(200, ["status": "ready"]) }
        return .problem(503, "not_ready", reason)
            .with("Retry-After", "\(SocketLimits.retrySeconds)")
    }

    private func submit(_ request: HTTPRequest) async -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        guard request.head.isJSON else { return .notJSON }
        do throws(AuthenticationRefusal) {
            // Authenticate before reading the body; a 401 reveals nothing else.
            let holder = try authenticator.holder(request.head)
            let (submission, key) = try read(request, by: holder)
            let peer = try TokenAuthenticator.peer(of: request, submission, by: holder)
            let response = await answer(submission, by: key, from: peer)
            return submission.wantsAdvice ? await advised(response, to: request) : response
        } catch {
            return error.response
        }
    }

    /// Adds advice to a denial: a change that would be allowed, if the client may see that.
    private func advised(_ response: HTTPResponse, to request: HTTPRequest) async -> HTTPResponse {
        guard let denial = try? JSON.parse(response.body.span), denial["state"]?.text == "denied",
            let object = denial.object
        else { return response }
        let question = HTTPRequest(
            head: request.head.redirected(to: "/v1/explain"), body: request.body,
            peer: request.peer, process: request.process)
        var explained: HTTPResponse?
        for resource in resources where explained == nil {
            explained = await resource.respond(to: question)
        }
        guard let explained, explained.status == 200,
            let found = try? JSON.parse(explained.body.span)
        else { return response }
        let members = Self.advice.compactMap { name in
            found[name].map { JSONObject.Member(name: name, value: $0) }
        }
        let advice = JSONObject.Member(name: "advice", value: .object(JSONObject(members)))
        var copy = HTTPResponse(response.status, .object(JSONObject(object.members + [advice])))
        copy.headers = response.headers
        return copy
    }

    /// The members of an explanation that are advice to a program.
    private static let advice = ["would_be_allowed", "allowed_at", "limits"]

    private func read(
        _ request: HTTPRequest, by holder: TokenClient?
    ) throws(AuthenticationRefusal) -> (Submission, SubmittedRequest.Key?) {
        do throws(Submission.ParseError) {
            let submission = try Submission(
                request.body, wires: wires, frameBytesMax: frameBytesMax)
            guard !submission.opensCallbacks else {
                throw Submission.ParseError(
                    code: "bad_member", detail: "opens_callbacks is for /v1/explain only")
            }
            return (submission, try key(of: request, by: holder))
        } catch {
            throw AuthenticationRefusal(response: error.response)
        }
    }

    private func answer(
        _ submission: Submission, by key: SubmittedRequest.Key?, from peer: Peer
    ) async -> HTTPResponse {
        let (asked, isNew): (SubmittedRequest, Bool)
        do throws(RequestRegistry.Refusal) {
            (asked, isNew) = try await registry.submit(
                submission, from: peer, by: key)
        } catch {
            switch error {
            case .busy(let detail): return .busy(detail)
            case .refusedTooOften: return .refusedTooOften
            case .keyReused:
                return .problem(
                    422, "key_reused", "this Idempotency-Key was used with another body")
            }
        }
        await asked.wait(seconds: submission.waitSeconds)
        if Task.isCancelled { asked.leave() }
        return response(of: asked, done: isNew ? 201 : 200, pending: 202)
    }

    private func response(
        of asked: SubmittedRequest, done: UInt32, pending: UInt32
    ) -> HTTPResponse {
        switch asked.end {
        case .refused(.tooManyRefused)?: return .refusedTooOften
        case .refused(let refusal)?: return .busy(refusal.text)
        case .answered?, nil: break
        }
        let (json, isPending) = asked.json()
        let response = HTTPResponse(isPending ? pending : done, json)
        return response.status == 200
            ? response : response.with("Location", "/v1/requests/\(asked.id)")
    }

    private func one(_ id: String, _ request: HTTPRequest) async -> HTTPResponse {
        let head = request.head
        if let refusal = head.misdirected(
            methods: ["GET", "DELETE"], query: head.method == "GET" ? ["wait_seconds"] : [])
        {
            return refusal
        }
        let holder: TokenClient?
        do throws(AuthenticationRefusal) { holder = try authenticator.holder(head) } catch {
            return error.response
        }
        guard let asked = registry.find(id), asked.token == holder?.name else { return .notFound }
        if head.method == "DELETE" {
            asked.withdraw()
            await asked.wait(seconds: SocketLimits.waitSecondsDefault)
        } else {
            do throws(Submission.ParseError) {
                let text = head.query.first.map(\.value)
                let seconds = try Submission.seconds(text.map { .integer(Int64($0) ?? -1) } ?? 0)
                await asked.wait(seconds: seconds)
                if Task.isCancelled { asked.leave() }
            } catch {
                return error.response
            }
        }
        return response(of: asked, done: 200, pending: 200)
    }

    /// Returns the refusal of a request that is not a plain GET; nil if it is one.
    private func plain(_ request: HTTPRequest) -> HTTPResponse? {
        request.head.misdirected(methods: ["GET"])
    }

    /// Reads the key of a request; keys of different tokens never collide.
    private func key(
        of request: HTTPRequest, by holder: TokenClient?
    ) throws(Submission.ParseError) -> SubmittedRequest.Key? {
        let names = request.head.values(of: "idempotency-key")
        guard let name = names.first else { return nil }
        let isVisible = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard names.count == 1, isVisible, !name.isEmpty,
            name.utf8.count <= SocketLimits.keyBytesMax
        else {
            throw Submission.ParseError(
                code: "bad_key",
                detail:
                    "Idempotency-Key must have 1 to \(SocketLimits.keyBytesMax) visible characters")
        }
        return SubmittedRequest.Key(
            name: "\(holder?.name ?? "") \(name)", of: request.body)
    }
}
