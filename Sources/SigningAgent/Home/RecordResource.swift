// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningService
internal import SigningStorage
internal import SigningTerminal
package import Socket

/// What is remembered, who is connected and what is on record, for the owner alone: `/v1/grants`,
/// `/v1/connections`, `/v1/audit`, `/v1/activity`.
package struct RecordResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let sessions: OwnerSessions
    private let schemas: [FactSchema]
    private let events: EventRing

    /// Serves what a home has on record to whoever has a session; values are shown by the
    /// vocabularies of `schemas`, and what is taken back is told to `events`.
    package init(
        of home: OpenHome, by signer: LocalSigner, for sessions: OwnerSessions,
        schemas: [FactSchema], telling events: EventRing
    ) {
        self.home = home
        self.signer = signer
        self.sessions = sessions
        self.schemas = schemas
        self.events = events
    }

    /// The most grants that are listed, the newest ones.
    static let grantsMax = 1_000

    /// The answer to a request below these paths.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard (2...3).contains(parts.count), parts[0] == "v1",
            ["grants", "connections", "audit", "activity"].contains(parts[1])
        else { return nil }
        // Nobody without a session learns even what there is.
        if let refusal = sessions.refusal(of: request.head) { return refusal }
        return await withTaskExecutorPreference(BlockingThreads.shared) {
            do throws(LedgerError) {
                return try answer(request.head, parts[1], parts.count > 2 ? parts[2] : nil)
            } catch {
                return .problem(409, "not_possible", "the record cannot be read and written")
            }
        }
    }

    private func answer(
        _ head: HTTPHead, _ what: String, _ id: String?
    ) throws(LedgerError) -> HTTPResponse {
        switch (what, id) {
        case ("grants", nil):
            if let refusal = head.misdirected(methods: ["GET"], query: ["all"]) { return refusal }
            return try grants(head)
        case ("connections", nil):
            if let refusal = head.misdirected(methods: ["GET"]) { return refusal }
            return try connections()
        case ("audit", nil): return try AuditPage.answer(head, of: home.home)
        case ("activity", nil):
            let now = SystemEnvironment().now()
            return try ActivityPage.answer(
                head, of: home.home, at: max(now, try signer.ledger.latestTime() ?? now))
        case ("grants", let id?), ("connections", let id?):
            if let refusal = head.misdirected(methods: ["DELETE"]) { return refusal }
            return try end(what, id)
        default: return .notFound
        }
    }

    private func grants(_ head: HTTPHead) throws(LedgerError) -> HTTPResponse {
        let value = head.query.first?.value ?? "false"
        guard ["true", "false"].contains(value) else {
            return .problem(400, "bad_query", "all is true or false")
        }
        let names = keyNames
        let words = GrantText(schemas: schemas)
        let now = SystemEnvironment().now()
        let rows = try signer.ledger.allGrants().suffix(Self.grantsMax)
            .map { (grant) throws(LedgerError) in
                try GrantReport(grant, in: signer.ledger, at: now)
            }
            .filter { value == "true" || $0.state == "active" }
            .map { $0.json(keyName: names[$0.grant.scope.key] ?? "(removed)", words) }
        return HTTPResponse(200, ["grants": .array(rows.reversed())])
    }

    private func connections() throws(LedgerError) -> HTTPResponse {
        let names = keyNames
        let rows = try signer.ledger.allConnections().map { connection -> JSON in
            [
                "id": .string(Hex.encode(connection.id.span)),
                "protocol": .string(connection.protocolID.name),
                "client": .string(connection.client.id),
                "proof": .string(connection.client.proof.word),
                "profile": connection.client.proof.profile.map { .string($0) } ?? .null,
                "network": .string(connection.network),
                "key": .string(names[connection.key] ?? "(removed)"),
                "account": .string(connection.address),
                "started": .string(connection.started.utcText),
            ]
        }
        return HTTPResponse(200, ["connections": .array(rows.reversed())])
    }

    /// Takes back what was there; what was taken back before stays so.
    private func end(_ what: String, _ id: String) throws(LedgerError) -> HTTPResponse {
        guard let bytes = try? Hex.decode(id) else { return .notFound }
        let now = SystemEnvironment().now()
        let isThere: Bool
        if what == "grants" {
            isThere = try signer.ledger.allGrants().contains { $0.sealed.grant.id == bytes }
            if isThere { try signer.ledger.revoke([bytes], at: now) }
        } else {
            isThere = try signer.ledger.end(connections: [bytes], at: now) > 0
        }
        guard isThere else { return .notFound }
        events.publish(what == "grants" ? "revoked" : "disconnected", ["id": .string(id)])
        return HTTPResponse(200, ["id": .string(id), "state": "revoked"])
    }

    private var keyNames: [KeyID: String] {
        let accounts = (try? home.accounts()) ?? []
        return Dictionary(accounts.map { ($0.id, $0.name) }) { first, _ in first }
    }
}
