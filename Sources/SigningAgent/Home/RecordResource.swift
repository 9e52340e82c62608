// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
internal import SigningService
internal import SigningStorage
package import Socket

/// The grants, connections and entries on record, and the freeze of signing, for the owner:
/// `/v1/grants`, `/v1/connections`, `/v1/audit`, `/v1/activity`, `/v1/freeze`.
///
/// A client can read and end only its own connections.
package struct RecordResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let readers: Readers
    private let schemas: [FactSchema]
    private let events: RecordEvents

    /// Creates a resource for the record of a home.
    ///
    /// Values are shown with the vocabularies of `schemas`; `events` publishes what is removed.
    init(
        of home: OpenHome, by signer: LocalSigner, for readers: Readers,
        schemas: [FactSchema], reportingBy events: RecordEvents
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
            ["grants", "connections", "audit", "activity", "freeze"].contains(parts[1])
        else { return nil }
        let reader: Reader
        do throws(AuthenticationRefusal) {
            reader = try readers.reader(request)
        } catch {
            // A client without a session or a token learns nothing, not even which resources exist.
            return error.response
        }
        let called = called("/" + parts.joined(separator: "/"))
        guard reader == .owner || called?.act.operation?.permission == .ownerAndClient else {
            return .problem(
                403, "owner_session_needed", "this needs an owner session: POST /v1/owner/sessions")
        }
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            do {
                guard let called else { return try ofRecord(request.head, parts) }
                if let refusal = request.head.misdirected(calling: called.act) { return refusal }
                return try called.answer(ActCall(request: request, id: called.id, reader: reader))
            } catch {
                return .problem(409, "not_possible", "the record cannot be read and written")
            }
        }
    }

    /// The act of a path, with the id in it.
    private func called(
        _ path: String
    ) -> (act: ActDescription, id: String, answer: ActAnswer)? {
        let acts: [(ActDescription, ActAnswer)] = [
            (OwnerActs.grantList.description, grants),
            (OwnerActs.grantRevoke.description, revoke),
            (OwnerActs.connectionList.description, connections),
            (OwnerActs.connectionEnd.description, end),
            (OwnerActs.freeze.description, freeze), (OwnerActs.auditList.description, audit),
        ]
        for (act, answer) in acts {
            if let id = act.operation?.id(in: path) { return (act, id, answer) }
        }
        return nil
    }

    /// The answer to a request at a path that is not one of an act.
    private func ofRecord(_ head: HTTPHead, _ parts: [String]) throws -> HTTPResponse {
        guard parts.dropFirst() == ["activity"] else { return .notFound }
        let now = SystemEnvironment().now()
        return try ActivityPage.answer(
            head, of: home, at: max(now, try signer.ledger.latestTime() ?? now))
    }

    private func audit(_ call: ActCall) throws -> HTTPResponse {
        try AuditPage.answer(
            call.request.head, of: home, in: RequestSubject(GrantText(schemas: schemas)))
    }

    private func grants(_ call: ActCall) throws -> HTTPResponse {
        let value = call.request.head.query.first?.value ?? "false"
        guard ["true", "false"].contains(value) else {
            return .problem(400, "bad_query", "all must be true or false")
        }
        let names = keyNames
        let clients = home.clientNames
        let words = GrantText(schemas: schemas)
        let rows = try listedGrants(includesEnded: value == "true").map {
            let scope = $0.grant.scope
            return $0.json(
                keyName: names[scope.key] ?? "(removed)",
                called: clients.name(of: scope.client, by: scope.proof), words)
        }
        return HTTPResponse(200, ["grants": .array(rows.reversed())])
    }

    private func listedGrants(includesEnded: Bool) throws -> [GrantReport] {
        try OwnerActs.grantList.perform(
            GrantListing(includesEnded: includesEnded, countMax: Self.grantsMax), in: home,
            signer.ledger)
    }

    private func connections(_ call: ActCall) throws -> HTTPResponse {
        let names = keyNames
        let clients = home.clientNames
        let words = GrantText(schemas: schemas)
        let grants = try listedGrants(includesEnded: false).filter { $0.grant.answer == .yes }
        let rows = try connections(seenBy: call.reader).map { connection -> JSON in
            let scopes = grants.filter { $0.grant.scope.isOf(connection) }
            // The owner's names are private: a client reads its own connections without them.
            let called = call.reader == .owner ? clients.name(of: connection.client) : nil
            let keyName = names[connection.key] ?? "(removed)"
            return connection.json(
                keyName: keyName, called: called,
                scopes.map { $0.json(keyName: keyName, called: called, words) })
        }
        return HTTPResponse(200, ["connections": .array(rows.reversed())])
    }

    private func connections(seenBy reader: Reader) throws -> [ClientConnection] {
        try OwnerActs.connectionList.perform((), in: home, signer.ledger)
            .filter { reader.sees($0.client.id, $0.client.proof) }
    }

    /// Revokes a grant; revoking it again has no effect.
    private func revoke(_ call: ActCall) throws -> HTTPResponse {
        guard let id = try? Hex.decode(call.id) else { return .notFound }
        let found = try OwnerActs.grantRevoke.perform([id], in: home, signer.ledger)
        return found.isEmpty ? .notFound : removed(call.id)
    }

    /// Ends a connection with the grants of its client; for another client's connection the answer
    /// is "not found".
    private func end(_ call: ActCall) throws -> HTTPResponse {
        // After the end nothing names the client of the connection.
        events.look()
        guard let id = try? Hex.decode(call.id),
            try connections(seenBy: call.reader).contains(where: { $0.id == id }),
            try OwnerActs.connectionEnd.perform([id], in: home, signer.ledger) > 0
        else { return .notFound }
        return removed(call.id)
    }

    /// Stops all signing; the freeze is in effect even if it is not yet on record.
    private func freeze(_ call: ActCall) throws -> HTTPResponse {
        let body: JSON
        do throws(OwnerBody.ParseError) {
            let names = OwnerActs.freeze.description.arguments.map(\.name)
            body = try OwnerBody(call.request, members: names).json
        } catch {
            return error.response
        }
        let given = body["reason"]
        guard given == nil || given?.text != nil else {
            return .problem(400, "bad_member", "reason must be a text")
        }
        let reason = given?.text ?? OpenHome.defaultFreezeReason
        let problem = try OwnerActs.freeze.perform(reason, in: home)
        return HTTPResponse(
            200,
            [
                "frozen": true, "reason": .string(reason), "on_record": .bool(problem == nil),
            ])
    }

    private func removed(_ id: String) -> HTTPResponse {
        events.look()
        return HTTPResponse(200, ["id": .string(id), "state": "revoked"])
    }

    private var keyNames: [KeyID: String] {
        let accounts = (try? home.accounts()) ?? []
        return Dictionary(accounts.map { ($0.id, $0.name) }) { first, _ in first }
    }
}

/// A call of an act over the HTTP API.
private struct ActCall {
    let request: HTTPRequest
    /// The id in the path; empty for a path without one.
    let id: String
    let reader: Reader
}

/// Performs an act for a call.
private typealias ActAnswer = (ActCall) throws -> HTTPResponse

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
