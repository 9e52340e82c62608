// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningPolicy
internal import SigningService
internal import SigningStorage
internal import SigningVault
package import Socket
internal import Synchronization

/// The information on a home that every program of the user may read: `/v1/keys`, `/v1/policy`,
/// `/v1/limits`, and, for a hypothetical request, `/v1/explain`, its verdict, and `/v1/known`,
/// whether its client is known.
package struct HomeResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let authenticator: TokenAuthenticator
    private let sessions: OwnerSessions
    private let turns: Turns

    /// Creates a resource for a home and its signer; requests in an owner session are accepted too.
    init(
        of home: OpenHome, by signer: LocalSigner, knowing sessions: OwnerSessions,
        _ turns: Turns = Turns()
    ) {
        self.home = home
        self.signer = signer
        self.sessions = sessions
        authenticator = TokenAuthenticator(of: signer)
        self.turns = turns
    }

    /// The shares of clients in the slow requests that run at one time.
    ///
    /// With many rules one such request takes as long as many signatures.
    static let turns = SharedPlaces.Shares(all: 6, ofClient: 2, ofSite: 2, ofKind: 4, reserve: 0)
    private static let long =
        ["/v1/explain", "/v1/known"]
        + [OwnerActs.limitList.description.operation?.path].compactMap(\.self)
    private static let acts = [OwnerActs.keyList.description, OwnerActs.limitList.description]
    /// The paths, each with the scope that an access token needs for it.
    private static let paths = acts.compactMap(\.operation).reduce(
        into: ["/v1/policy": "limits", "/v1/explain": "explain", "/v1/known": "explain"]
    ) { paths, operation in
        if case .programs(let scope) = operation.permission { paths[operation.path] = scope }
    }

    /// Answers a request on the home.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard let what = Self.paths[request.head.path] else { return nil }
        let holder: TokenClient?
        do throws(AuthenticationRefusal) {
            holder = try self.holder(request, reading: what)
        } catch {
            return error.response
        }
        let isLong = Self.long.contains(request.head.path)
        let countedClient = request.peer.countedClient(as: holder)
        if isLong, !turns.take(countedClient) {
            return .busy("too many requests for this at once")
        }
        defer { if isLong { turns.giveBack(countedClient) } }
        // Reads files and decodes a request, which blocks.
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            answer(request, by: holder)
        }
    }

    /// The holder of the access token; nil for the owner and for programs without a token.
    private func holder(
        _ request: HTTPRequest, reading what: String
    ) throws(AuthenticationRefusal) -> TokenClient? {
        guard request.head.bearer != nil else {
            return try authenticator.holder(request.head, reading: what)
        }
        if let refusal = sessions.refusal(of: request, isUse: false) {
            throw AuthenticationRefusal(response: refusal)
        }
        return nil
    }

    private func answer(_ request: HTTPRequest, by holder: TokenClient?) -> HTTPResponse? {
        do {
            switch request.head.path {
            case OwnerActs.keyList.description.operation?.path:
                return try respondJSON(request) { try keys() }
            case "/v1/policy":
                return try respondJSON(request) { try policy() }
            case OwnerActs.limitList.description.operation?.path:
                return try respondJSON(request) { try limits() }
            case "/v1/explain":
                return answer(request, by: holder) { frame, wire in explained(frame, wire) }
            case "/v1/known":
                return answer(request, by: holder) { frame, wire in
                    HTTPResponse(200, ["known": .bool(signer.knowsClient(of: frame, over: wire))])
                }
            default: return nil
            }
        } catch {
            let error = ServiceError(error)
            return .problem(
                409, "not_possible",
                error.hint.map { "\(error.message); \($0)" }
                    ?? error.message)
        }
    }

    private func respondJSON(
        _ request: HTTPRequest, _ json: () throws -> JSON
    ) throws -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["GET"]) { return refusal }
        return HTTPResponse(200, try json())
    }

    private func keys() throws -> JSON {
        let keys = try OwnerActs.keyList.perform((), in: home, signer.ledger).map {
            account -> JSON in
            [
                "name": .string(account.name), "protocol": .string(account.protocolID.name),
                "network": account.network.map { .string($0) } ?? .null,
                "address": .string(account.address),
                "public_key": .string(Hex.encode(account.publicKey.span)),
                "tags": .array(account.tags.map { .string($0) }),
                "watch_only": .bool(account.isWatchOnly), "id": .string(account.id.text),
            ]
        }
        return ["keys": .array(keys)]
    }

    private func policy() throws -> JSON {
        let policy = try home.inForce().policy
        let frozen = try signer.ledger.freezeReason()
        return [
            "hash": .string(Hex.encode(policy.hash.span)),
            "rules": .integer(Int64(policy.document.rules.count)),
            "note": home.policyNote().map { .string("\($0.state): \($0.fix)") } ?? .null,
            "frozen": frozen.map { .string($0) } ?? .null,
        ]
    }

    private func limits() throws -> JSON {
        let rows = try OwnerActs.limitList.perform((), in: home, signer.ledger)
        return ["limits": .array(rows.map(\.json))]
    }

    /// Reads a hypothetical request and answers it.
    private func answer(
        _ request: HTTPRequest, by holder: TokenClient?,
        _ body: (Frame, AdapterID?) -> HTTPResponse
    ) -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        guard request.head.isJSON else { return .notJSON }
        let submission: Submission
        do throws(Submission.ParseError) {
            submission = try Submission(
                request.body, wires: home.wireNames, frameBytesMax: home.frameBytesMax)
        } catch {
            return error.response
        }
        let peer: Peer
        do throws(AuthenticationRefusal) {
            peer = try TokenAuthenticator.peer(of: request, submission, by: holder)
        } catch {
            return error.response
        }
        return body(Frame(bytes: submission.frame, peer: peer), submission.wire)
    }

    private func explained(_ frame: Frame, _ wire: AdapterID?) -> HTTPResponse {
        do {
            let explained = try signer.explain(frame, over: wire)
            return HTTPResponse(
                200,
                explained.json(
                    usage: signer.ledger, isLocked: !home.vault.isUnlocked))
        } catch {
            return .problem(422, "not_understood", ServiceError(error).message)
        }
    }
}

/// The clients whose slow requests are running.
final class Turns: Sendable {
    private let places: Mutex<SharedPlaces>

    init(_ shares: SharedPlaces.Shares = HomeResource.turns) {
        places = Mutex(SharedPlaces(shares))
    }

    func take(_ countedClient: CountedClient) -> Bool {
        places.withLock { places in (try? places.take(countedClient)) != nil }
    }

    func giveBack(_ countedClient: CountedClient) { places.withLock { $0.leave(countedClient) } }
}
