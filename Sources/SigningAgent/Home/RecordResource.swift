// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage
package import Socket

/// The grants, connections and entries on record, for the owner: `/v1/grants`, `/v1/connections`,
/// `/v1/audit`, `/v1/activity`.
///
/// A client can read and end only its own connections.
package struct RecordResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let readers: Readers
    private let schemas: [FactSchema]
    private let events: EventRing

    /// Creates a resource for the record of a home.
    ///
    /// Values are shown with the vocabularies of `schemas`; revocations are published to `events`.
    init(
        of home: OpenHome, by signer: LocalSigner, for readers: Readers,
        schemas: [FactSchema], reportingTo events: EventRing
    ) {
        self.home = home
        self.signer = signer
        self.readers = readers
        self.schemas = schemas
        self.events = events
    }

    /// The most grants that are listed, newest first.
    static let grantsMax = 1_000

    /// The answer to a request for a path of this resource; nil for other paths.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard (2...3).contains(parts.count), parts[0] == "v1",
            ["grants", "connections", "audit", "activity"].contains(parts[1])
        else { return nil }
        let reader: Reader
        do throws(AuthenticationRefusal) {
            reader = try readers.reader(request.head)
        } catch {
            // A client without a session or a token learns nothing, not even which resources exist.
            return error.response
        }
        if reader != .owner, parts[1] != "connections" {
            return .problem(
                403, "owner_session_needed", "this needs an owner session: POST /v1/owner/sessions")
        }
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            do throws(LedgerError) {
                return try answer(
                    request.head, parts[1], parts.count > 2 ? parts[2] : nil, reader)
            } catch {
                return .problem(409, "not_possible", "the record cannot be read and written")
            }
        }
    }

    private func answer(
        _ head: HTTPHead, _ what: String, _ id: String?, _ reader: Reader
    ) throws(LedgerError) -> HTTPResponse {
        switch (what, id) {
        case ("grants", nil):
            if let refusal = head.misdirected(methods: ["GET"], query: ["all"]) { return refusal }
            return try grants(head)
        case ("connections", nil):
            if let refusal = head.misdirected(methods: ["GET"]) { return refusal }
            return try connections(reader)
        case ("audit", nil):
            return try AuditPage.answer(
                head, of: home, in: RequestSubject(GrantText(schemas: schemas)))
        case ("activity", nil):
            let now = SystemEnvironment().now()
            return try ActivityPage.answer(
                head, of: home, at: max(now, try signer.ledger.latestTime() ?? now))
        case ("grants", let id?):
            if let refusal = head.misdirected(methods: ["DELETE"]) { return refusal }
            return try revoke(id)
        case ("connections", let id?):
            if let refusal = head.misdirected(methods: ["DELETE"]) { return refusal }
            return try end(id, reader)
        default: return .notFound
        }
    }

    private func grants(_ head: HTTPHead) throws(LedgerError) -> HTTPResponse {
        let value = head.query.first?.value ?? "false"
        guard ["true", "false"].contains(value) else {
            return .problem(400, "bad_query", "all must be true or false")
        }
        let names = keyNames
        let clients = home.clientNames
        let words = GrantText(schemas: schemas)
        let now = SystemEnvironment().now()
        let rows = try signer.ledger.allGrants().suffix(Self.grantsMax)
            .map { (grant) throws(LedgerError) in
                try GrantReport(grant, in: signer.ledger, at: now)
            }
            .filter { value == "true" || $0.state == "active" }
            .map {
                let scope = $0.grant.scope
                return $0.json(
                    keyName: names[scope.key] ?? "(removed)",
                    called: clients.name(of: scope.client, by: scope.proof), words)
            }
        return HTTPResponse(200, ["grants": .array(rows.reversed())])
    }

    private func connections(_ reader: Reader) throws(LedgerError) -> HTTPResponse {
        let names = keyNames
        let clients = home.clientNames
        let words = GrantText(schemas: schemas)
        let now = SystemEnvironment().now()
        let grants = try signer.ledger.allGrants().suffix(Self.grantsMax)
            .filter { $0.revoked == nil && $0.sealed.grant.answer == .yes }
            .map { (grant) throws(LedgerError) in
                try GrantReport(grant, in: signer.ledger, at: now)
            }
            .filter { $0.state == "active" }
        let rows = try connections(seenBy: reader, at: now).map { connection -> JSON in
            let scopes = grants.filter { $0.grant.scope.isOf(connection) }
            // The owner's names are private: a client reads its own connections without them.
            let called = reader == .owner ? clients.name(of: connection.client) : nil
            let keyName = names[connection.key] ?? "(removed)"
            return connection.json(
                keyName: keyName, called: called,
                scopes.map { $0.json(keyName: keyName, called: called, words) })
        }
        return HTTPResponse(200, ["connections": .array(rows.reversed())])
    }

    private func connections(
        seenBy reader: Reader, at now: Timestamp
    ) throws(LedgerError) -> [ClientConnection] {
        try signer.ledger.allConnections().filter {
            reader.sees($0.client.id, $0.client.proof) && ($0.expires.map { now < $0 } ?? true)
        }
    }

    /// Revokes a grant; revoking it again has no effect.
    private func revoke(_ id: String) throws(LedgerError) -> HTTPResponse {
        guard let bytes = try? Hex.decode(id),
            let found = try signer.ledger.allGrants().first(where: {
                $0.sealed.grant.id == bytes
            })
        else { return .notFound }
        let now = SystemEnvironment().now()
        try signer.ledger.revoke([bytes], at: now)
        let scope = found.sealed.grant.scope
        return publishRemoval("revoked", id, .init(client: scope.client, proof: scope.proof))
    }

    /// Ends a connection with the grants of its client; for another client's connection the answer
    /// is "not found".
    private func end(_ id: String, _ reader: Reader) throws(LedgerError) -> HTTPResponse {
        let now = SystemEnvironment().now()
        guard let bytes = try? Hex.decode(id),
            let found = try connections(seenBy: reader, at: now).first(where: { $0.id == bytes }),
            try signer.ledger.end(connections: [bytes], at: now) > 0
        else { return .notFound }
        return publishRemoval(
            "disconnected", id, .init(client: found.client.id, proof: found.client.proof))
    }

    private func publishRemoval(_ event: String, _ id: String, _ subject: EventRing.Subject)
        -> HTTPResponse
    {
        events.publish(event, ["id": .string(id)], about: subject)
        return HTTPResponse(200, ["id": .string(id), "state": "revoked"])
    }

    private var keyNames: [KeyID: String] {
        let accounts = (try? home.accounts()) ?? []
        return Dictionary(accounts.map { ($0.id, $0.name) }) { first, _ in first }
    }
}

extension Grant.Scope {
    /// Whether the grant belongs to the client and the key of a connection.
    fileprivate func isOf(_ connection: ClientConnection) -> Bool {
        client == connection.client.id && proof == connection.client.proof
            && key == connection.key && protocolID == connection.protocolID
    }
}

extension ClientConnection {
    /// The connection as JSON, with the client's grants.
    fileprivate func json(keyName: String, called: String?, _ scopes: [JSON]) -> JSON {
        [
            "id": .string(Hex.encode(id.span)), "protocol": .string(protocolID.name),
            "client": .string(client.id), "proof": .string(client.proof.word),
            "known_by": .string(client.proof.word),
            "profile": client.proof.profile.map { .string($0) } ?? .null,
            "called": called.map { .string($0) } ?? .null,
            "network": .string(network), "key": .string(keyName), "account": .string(address),
            "started": .string(started.utcText),
            "expires": expires.map { .string($0.utcText) } ?? .null, "scopes": .array(scopes),
        ]
    }
}
