// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningService
package import Socket

/// The key that passphrases are sealed to, and the lock of the vault: `/v1/owner/key`, `/v1/lock`,
/// `/v1/unlock`.
package struct OwnerResource: SocketResource {
    private let owner: OwnerCheck
    private let terminals: OwnerTerminals
    private let lock: @Sendable () -> Void

    /// Creates a resource; `lock` locks the vault.
    package init(
        _ owner: OwnerCheck, remembering terminals: OwnerTerminals,
        lock: @escaping @Sendable () -> Void
    ) {
        self.owner = owner
        self.terminals = terminals
        self.lock = lock
    }

    /// Answers requests on the owner's key and the lock.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        switch request.head.path {
        case "/v1/owner/key":
            request.head.misdirected(methods: ["GET"])
                ?? HTTPResponse(
                    200,
                    [
                        "algorithm": "x25519-sealed-box",
                        "public_key": .string(Base64.encode(owner.publicKey.span)),
                    ])
        case "/v1/lock": locked(request)
        case "/v1/unlock": await unlocked(request)
        default: nil
        }
    }

    /// Locks the vault.
    ///
    /// Every program of the user may do so, as the passphrase unlocks it again.
    private func locked(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        lock()
        return HTTPResponse(200, ["state": "locked"])
    }

    private func unlocked(_ request: HTTPRequest) async -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        let body: OwnerBody
        do throws(OwnerBody.ParseError) {
            body = try OwnerBody(request, members: OwnerBody.passphraseMembers)
        } catch {
            return error.response
        }
        do throws(OwnerCheck.Refusal) {
            try await owner.unlock(try body.passphrase())
            terminals.remember(body, of: request)
            return HTTPResponse(200, ["state": "unlocked"])
        } catch {
            return error.response
        }
    }
}

/// The body of a request that only the owner sends: an object with a sealed passphrase.
package struct OwnerBody: Sendable {
    /// An error in a body.
    package struct ParseError: Error, Sendable {
        /// The answer to the request.
        package let response: HTTPResponse
    }

    /// The parsed body.
    package let json: JSON

    /// Parses a body with at most these members.
    package init(
        _ request: HTTPRequest, members: [String],
        limits: JSONLimits = JSONLimits(bytesMax: bytesMax, depthMax: 2)
    ) throws(ParseError) {
        guard request.head.isJSON else { throw ParseError(response: .notJSON) }
        guard let json = try? JSON.parse(request.body.span, limits: limits),
            let object = json.object
        else {
            throw ParseError(
                response: .problem(400, "bad_json", "the body must be a small JSON object"))
        }
        guard object.names.allSatisfy(members.contains) else {
            let known = members.isEmpty ? "no members" : members.joined(separator: ", ")
            throw ParseError(
                response: .problem(
                    400, "unknown_member", "unknown member; the body can have \(known)"))
        }
        self.json = json
    }

    /// The sealed passphrase, which must be present.
    package func passphrase() throws(OwnerCheck.Refusal) -> SealedPassphrase {
        guard let passphrase = SealedPassphrase(json["passphrase"]?.text) else {
            throw .unreadable
        }
        return passphrase
    }

    /// The members of a body with a passphrase: if `terminal` is true, the agent remembers the
    /// terminal session of the sender.
    static let passphraseMembers = ["passphrase", "terminal"]

    /// The usual limit of a body, in bytes.
    package static let bytesMax = 16_384
}

extension OwnerCheck.Refusal {
    /// The refusal as an HTTP response.
    package var response: HTTPResponse {
        switch self {
        case .unreadable:
            .problem(
                400, "not_sealed",
                "passphrase must be sealed to the key of /v1/owner/key, in Base64")
        case .busy: Self.later(1, "busy", "another passphrase is being checked")
        case .tooSoon(let seconds):
            Self.later(seconds, "too_soon", "a wrong passphrase was given a moment ago")
        case .wrong(let seconds):
            .problem(403, "wrong_passphrase", "the passphrase is wrong")
                .with("Retry-After", "\(seconds)")
        case .failed(let error): .problem(409, "not_possible", Self.text(error))
        }
    }

    private static func later(_ seconds: Int64, _ code: String, _ text: String) -> HTTPResponse {
        .problem(429, code, text).with("Retry-After", "\(seconds)")
    }

    private static func text(_ error: ServiceError) -> String {
        error.hint.map { "\(error.message); \($0)" } ?? error.message
    }
}
