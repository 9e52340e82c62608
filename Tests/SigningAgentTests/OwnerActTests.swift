// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import SigningCodecs
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import Testing

@testable import SigningAgent
@testable import SigningCore
@testable import Socket

@Suite("Acts of the owner", .timeLimit(.minutes(5)))
struct OwnerActTests {
    private static func document(_ name: String) throws -> String {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Docs/\(name)"), encoding: .utf8)
    }

    /// The lines of a YAML text below a key, up to the next key with the same indentation.
    private static func part(_ text: String, below key: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0 == key + ":" }) else { return nil }
        let indentation = key.prefix { $0 == " " }.count
        let rest = lines[(start + 1)...]
        let end = rest.firstIndex { line in
            !line.isEmpty && line.prefix { $0 == " " }.count <= indentation
        }
        return rest[..<(end ?? rest.endIndex)].joined(separator: "\n")
    }

    /// The names of the members of the body that the text of an operation refers to.
    private static func members(ofBody text: String, in document: String) throws -> [String] {
        guard let body = text.components(separatedBy: "requestBody:").dropFirst().first,
            let name = body.components(separatedBy: "#/components/schemas/").dropFirst().first?
                .prefix(while: \.isLetter)
        else { return [] }
        let schema = try #require(part(document, below: "    \(name)"))
        let properties = try #require(part(schema, below: "      properties"))
        return properties.split(separator: "\n")
            .filter { $0.prefix { $0 == " " }.count == 8 }
            .compactMap { $0.split(separator: ":").first?.trimmingPrefix("        ") }
            .map(String.init)
    }

    @Test("the acts that no operation performs are for the command line and the library only")
    func unoffered() {
        let names = OwnerActs.all.filter { $0.operation == nil }.map(\.name)
        #expect(Set(names) == Self.unoffered)
    }

    /// They need the passphrase, make a secret, or have no place in the API.
    private static let unoffered: Set = [
        "agent token list", "agent token new", "agent token revoke", "bunker list",
        "bunker revoke", "key remove", "key rename", "key tag", "policy attest", "thaw",
    ]

    @Test(
        "the OpenAPI document describes the operation of each act",
        arguments: OwnerActs.all.filter { $0.operation != nil })
    func described(act: ActDescription) throws {
        let operation = try #require(act.operation)
        let document = try Self.document("openapi.yaml")
        let path = try #require(Self.part(document, below: "  \(operation.path)"))
        let text = try #require(
            Self.part(path, below: "    \(operation.method.lowercased())"), "\(operation)")
        #expect(text.contains("      operationId: \(operation.id)\n"))
        let security =
            switch operation.permission {
            case .owner: "security: [{owner: []}]\n"
            case .ownerAndClient: "security: [{owner: []}, {client: []}]\n"
            case .programs: "security: [{}, {client: []}, {owner: []}]\n"
            }
        #expect(text.contains(security))
        let identified = ["{name: id, in: path", "/QuestionID\"}", "/ApprovalID\"}"]
        #expect(identified.contains { path.contains($0) } == (act.subject != nil))
        let queries = text.components(separatedBy: "name: ").dropFirst()
            .compactMap { $0.split { ",\n".contains($0) }.first.map(String.init) }
        let names = act.arguments.map(\.name).sorted()
        #expect(queries.sorted() == (operation.hasBody ? [] : names))
        let body = try Self.members(ofBody: text, in: document)
        #expect(body.sorted() == (operation.hasBody ? names : []))
        if let event = act.event {
            let events = try #require(Self.part(document, below: "  /v1/events"))
            #expect(events.contains(event.rawValue))
        }
    }

    @Test("each operation on these paths is an act, with a name of its own")
    func complete() throws {
        let acts = OwnerActs.all
        #expect(Set(acts.map(\.name)).count == acts.count)
        let operations = acts.compactMap(\.operation)
        #expect(operations.count >= 6 && Set(operations.map(\.id)).count == operations.count)
        for path in Set(operations.map(\.path)) {
            let text = try #require(
                Self.part(try Self.document("openapi.yaml"), below: "  \(path)"))
            let ids = text.components(separatedBy: "operationId: ").dropFirst()
                .compactMap { $0.split(separator: "\n").first.map(String.init) }
            #expect(Set(ids) == Set(operations.filter { $0.path == path }.map(\.id)))
        }
        let keys = acts.compactMap(\.inboxKey)
        #expect(Set(keys).count == keys.count)
    }

    @Test("the page calls the operations of acts by their ids, and by no path of its own")
    func page() throws {
        let operations = OwnerActs.all.compactMap(\.operation)
        var called: Set<String> = []
        for name in ["record", "pictures", "inbox", "question"] {
            let script = try Self.document("../Sources/Transports/Web/Page/\(name).js")
            for part in script.components(separatedBy: "perform(\"").dropFirst()
                + script.components(separatedBy: "end(\"").dropFirst()
            {
                called.formUnion(part.split(separator: "\"").prefix(1).map(String.init))
            }
            for operation in operations {
                let path = operation.path.replacing("/{id}", with: "")
                #expect(!script.contains(path), "\(name): \(path)")
            }
        }
        #expect(called == Set(operations.map(\.id)))
    }

    @Test(
        "an operation finds the id in its own path only",
        arguments: [
            ("/v1/grants/5d", "5d"), ("/v1/grants", nil), ("/v1/grants/", nil),
            ("/v1/grants/5d/x", nil), ("/v1/connections/5d", nil), ("/v1/grants/5d/", nil),
        ] as [(String, String?)])
    func paths(path: String, id: String?) throws {
        let operation = try #require(OwnerActs.grantRevoke.description.operation)
        #expect(operation.id(in: path) == id)
        if let id { #expect(operation.path(of: id) == path) }
        #expect(OwnerActs.grantList.description.operation?.id(in: "/v1/grants") == "")
        #expect(OwnerActs.questionAnswer.id(in: "/v1/questions/5d/answer") == "5d")
        for path in ["/v1/questions/answer", "/v1/questions//answer", "/v1/questions/5d/x/answer"] {
            #expect(OwnerActs.questionAnswer.id(in: path) == nil)
        }
    }

    /// Records a remembered yes of a client.
    private func remember(_ home: OpenHome) async throws -> Grant {
        let ledger = try home.openLedger()
        let key = try #require(try home.accounts().first)
        let client = Client(id: "token:bot", name: nil, proof: .token)
        let grant = Grant(
            id: [UInt8](repeating: 3, count: 8), answer: .yes,
            scope: Grant.Scope(
                client: client.id, proof: client.proof, key: key.id, protocolID: key.protocolID,
                method: "sign_event", facts: []),
            dangers: [], created: Timestamp(seconds: 5), expires: nil, login: nil, usesMax: nil)
        let policy = try home.inForce().policy.hash
        let intent = Intent(
            id: [UInt8](repeating: 1, count: 16), time: SystemEnvironment().now(),
            adapter: AdapterID("nip155"), protocolID: key.protocolID, method: "sign_event",
            client: client, channel: "socket", login: nil, keys: [key.id],
            requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policy,
            decidedBy: "person", grants: [], scopes: [], facts: [[]], decoding: .full,
            frameBytes: 10, rules: [], effects: [], dangers: [], claims: [], replayToken: nil,
            serials: [], tokenWasSeen: nil)
        try await ledger.reserve(intent, currentPolicyHash: policy)
        let connection = ClientConnection(
            id: [UInt8](repeating: 7, count: 16), protocolID: key.protocolID, client: client,
            network: "mainnet", key: key.id, address: "a", started: Timestamp(seconds: 5))
        try await ledger.settle(
            intent.id,
            .done(
                resultDigests: [], remembers: [SealedGrant(grant, seal: [1])],
                connections: [.opens(connection)]),
            at: SystemEnvironment().now())
        try ledger.flush()
        return grant
    }

    private func text(_ stream: EventStream) -> String {
        var bytes: [UInt8] = []
        while case .bytes(let part) = stream.next(4_096, wake: {}) { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("an act of another process on the files of the home reaches the followers once")
    func seen() async throws {
        let folder = try AgentHome()
        let grant = try await remember(folder.open)
        let ledger = try folder.open.openLedger()
        let ring = EventRing()
        let events = RecordEvents(of: folder.open, ledger, reportingTo: ring)
        let watch = HomeWatch(of: folder.open, records: [ledger])
        let owner = try #require(ring.follow(after: nil) { true })
        let bot = try #require(
            ring.follow(
                after: nil, as: .client(TokenClient(name: "bot", isBrowser: false))
            ) { true })
        let other = try #require(
            ring.follow(
                after: nil, as: .client(TokenClient(name: "other", isBrowser: false))
            ) { true })
        let keeping = Task { await events.keep(watch) }
        let home = try OpenHome(at: folder.path, speaking: .builtIn)
        #expect(try OwnerActs.grantRevoke.perform([grant.id], in: home).count == 1)
        #expect(try OwnerActs.grantRevoke.perform([grant.id], in: home).first?.revoked != nil)
        let ended = [UInt8](repeating: 7, count: 16)
        #expect(try OwnerActs.connectionEnd.perform([ended], in: home) == 1)
        #expect(try OwnerActs.connectionEnd.perform([ended], in: home) == 0)
        var seen = ""
        while !seen.contains("event: disconnected\n") {
            try await Task.sleep(for: .milliseconds(20))
            seen += text(owner)
        }
        events.look()
        seen += text(owner)
        for line in [
            "event: revoked\ndata: {\"id\":\"\(grant.idText)\"}\n",
            "event: disconnected\ndata: {\"id\":\"\(Hex.encode(ended.span))\"}\n",
        ] {
            #expect(seen.components(separatedBy: line).count == 2, "\(seen)")
        }
        let own = text(bot)
        #expect(own.contains("event: revoked\n") && own.contains("event: disconnected\n"))
        #expect(!text(other).contains("event: "))
        keeping.cancel()
        await keeping.value
    }
}
