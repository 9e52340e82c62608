// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningPolicy
internal import SigningService
internal import SigningStorage
package import Socket
internal import Synchronization

/// What every program of the user may know of a home: `/v1/keys`, `/v1/policy`, `/v1/limits`, and
/// what would become of a request, `/v1/explain`.
package struct HomeResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let authenticator: TokenAuthenticator
    private let sessions: OwnerSessions
    private let turns: Turns

    /// Tells of a home, and of what its signer would answer; the owner's session is one more that
    /// may know.
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

    /// How callers share what may take long and is answered at one time: by many rules one takes as
    /// long as many signatures.
    static let turns = SharedPlaces.Shares(all: 6, ofClient: 2, ofSite: 2, ofKind: 4, reserve: 0)
    private static let long = ["/v1/limits", "/v1/explain"]
    /// The paths, with what an access token is narrowed to that may ask there.
    private static let paths = [
        "/v1/keys": "keys", "/v1/policy": "limits", "/v1/limits": "limits",
        "/v1/explain": "explain",
    ]

    /// Answers what is asked of the home.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard let what = Self.paths[request.head.path] else { return nil }
        let holder: TokenClient?
        do throws(AuthenticationRefusal) {
            holder = try self.holder(request.head, reading: what)
        } catch {
            return error.response
        }
        let isLong = Self.long.contains(request.head.path)
        let countedClient = request.peer.countedClient(as: holder)
        if isLong, !turns.take(countedClient) { return .busy("too many ask for the same") }
        defer { if isLong { turns.giveBack(countedClient) } }
        // Files are read, and a request is decoded.
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            answer(request, by: holder)
        }
    }

    /// Whoever has an access token; nil for all others, the owner among them.
    private func holder(
        _ head: HTTPHead, reading what: String
    ) throws(AuthenticationRefusal) -> TokenClient? {
        guard head.bearer != nil else { return try authenticator.holder(head, reading: what) }
        if let refusal = sessions.refusal(of: head, isUse: false) {
            throw AuthenticationRefusal(response: refusal)
        }
        return nil
    }

    private func answer(_ request: HTTPRequest, by holder: TokenClient?) -> HTTPResponse? {
        do throws(ServiceError) {
            switch request.head.path {
            case "/v1/keys": return try told(request) { () throws(ServiceError) in try keys() }
            case "/v1/policy":
                return try told(request) { () throws(ServiceError) in try policy() }
            case "/v1/limits":
                return try told(request) { () throws(ServiceError) in try limits() }
            case "/v1/explain": return try explained(request, by: holder)
            default: return nil
            }
        } catch {
            return .problem(
                409, "not_possible",
                error.hint.map { "\(error.message); \($0)" }
                    ?? error.message)
        }
    }

    private func told(
        _ request: HTTPRequest, _ json: () throws(ServiceError) -> JSON
    ) throws(ServiceError) -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["GET"]) { return refusal }
        return HTTPResponse(200, try json())
    }

    private func keys() throws(ServiceError) -> JSON {
        let keys = try home.accounts().map { account -> JSON in
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

    private func policy() throws(ServiceError) -> JSON {
        let policy = try home.inForce().policy
        let frozen = try ServiceError.wrapping { () throws(LedgerError) in
            try signer.ledger.freezeReason()
        }
        return [
            "hash": .string(Hex.encode(policy.hash.span)),
            "rules": .integer(Int64(policy.document.rules.count)),
            "note": home.policyNote().map { .string("\($0.state): \($0.mend)") } ?? .null,
            "frozen": frozen.map { .string($0) } ?? .null,
        ]
    }

    private func limits() throws(ServiceError) -> JSON {
        let policy = try home.inForce().policy
        let rows = try ServiceError.wrapping { () throws(LedgerError) in
            try LimitRow.all(of: policy, in: signer.ledger, at: SystemEnvironment().now())
        }
        return ["limits": .array(rows.map(\.json))]
    }

    private func explained(
        _ request: HTTPRequest, by holder: TokenClient?
    ) throws(ServiceError) -> HTTPResponse {
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
        let frame = Frame(bytes: submission.frame, peer: peer)
        do throws(ServiceError) {
            let explained = try signer.explain(frame, over: submission.wire)
            return HTTPResponse(
                200,
                explained.json(
                    usage: signer.ledger, isLocked: !home.vault.isUnlocked))
        } catch {
            return .problem(422, "not_understood", error.message)
        }
    }
}

/// Who is at work.
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
