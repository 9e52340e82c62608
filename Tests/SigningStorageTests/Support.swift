// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

extension TemporaryHome {
    /// Examines the ledger of a home without a vault, from a first checkpoint that it makes.
    func verifiedLedger() throws -> AuditReport {
        let key = try Ed25519Key(seed: secret(of: 5))
        let first = try key.signCheckpoint(.empty, at: Timestamp(seconds: 0))
        return try AuditLog.open(home).verify(
            logPublicKey: key.publicKey, lastKnownCheckpoint: first)
    }

    /// Changes the ledger as a person with a database editor would.
    func editLedger(_ statements: String...) throws {
        ReplayCheck.skip(home.ledgerPath)
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .asFound)
        try database.write { access throws(LedgerError) in
            try access.run("PRAGMA defer_foreign_keys = ON")
            for statement in statements { try access.run(statement) }
        }
    }

    /// Sets the format version of a file.
    func setFormat(of path: String, to version: Int) throws {
        try SQLiteConnection(path: path).execute("PRAGMA user_version = \(version)")
    }
}

extension Vault {
    /// Performs operations as the hub does after all its checks.
    func perform(
        _ operations: (Account, KeyOperation)..., in unlocking: Int? = nil
    ) throws(KeyStoreError) -> [KeyResult] {
        let requested = operations.map { account, operation in
            RequestedOperation(
                account: account, operation: operation, facts: [], effects: [], dangers: [])
        }
        let policy = (try? attestedPolicy())?.hash ?? [UInt8](repeating: 0, count: 32)
        return try perform(SigningPermit(for: requested, judgedBy: policy), in: unlocking)
    }
}

let nostr = ProtocolID("nostr")
let near = ProtocolID("near")
let policyHash = [UInt8](repeating: 9, count: 32)

extension LimitClaim {
    static func count(
        _ counter: String = "rule/0", window: Int64? = 100, maximum: Int128 = 3,
        amount: Int128 = 1
    ) -> LimitClaim {
        LimitClaim(
            counter: counter, window: window.map { .sliding(seconds: $0) } ?? .ever,
            maximum: maximum, amount: amount)
    }
}

/// An intent with the values that matter to a test.
func makeIntent(
    id: [UInt8] = Randomness.bytes(16), at seconds: Int64 = 1_000, claims: [LimitClaim] = [],
    token: ReplayToken? = nil, policy: [UInt8] = policyHash, method: String = "sign_event",
    grants: [Grant] = [], scopes: [Grant.Scope] = [], serials: [SerialUse] = [],
    rule: String = "notes", decidedBy: String = "policy", protocolID: ProtocolID = nostr,
    tokenWasSeen: Bool? = nil
) -> Intent {
    RecordCheck.install
    return Intent(
        id: id, time: Timestamp(seconds: seconds), adapter: AdapterID("nip155"),
        protocolID: protocolID, method: method,
        client: Client(id: "app", name: "An \"app\"", proof: .claimed),
        channel: "cli", login: nil, keys: [KeyID("k")],
        requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policy, decidedBy: decidedBy,
        grants: grants, scopes: scopes, facts: [[Fact("kind", .integer(1))]], decoding: .full,
        frameBytes: 10, rules: [rule],
        effects: [.publishes],
        dangers: [.opaque], claims: claims, replayToken: token, serials: serials,
        tokenWasSeen: tokenWasSeen)
}

func makeRefusal(at seconds: Int64 = 1_000, remembers: [Grant] = []) -> Refusal {
    RecordCheck.install
    return Refusal(
        id: [UInt8](repeating: 7, count: 16), time: Timestamp(seconds: seconds),
        adapter: AdapterID("nip155"),
        protocolID: ProtocolID("nostr"),
        method: "sign_event", client: nil, channel: "cli",
        requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policyHash, kind: "denied",
        keys: [KeyID("k")], effects: [], dangers: [], facts: [], decoding: .full, frameBytes: 10,
        remembers: remembers,
        reason: Reason(.policyDenied, "no rule", rule: nil))
}

/// Blocking forms of the calls, for tests that are not about waiting.
extension SQLiteLedger {
    func reserve(_ intent: Intent) throws(LedgerError) {
        try reserve(intent, currentPolicyHash: policyHash)
    }

    func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.reserve(intent, as: intent.draft, currentPolicyHash)
        }
    }

    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at time: Timestamp
    ) throws(LedgerError) {
        let result = IntentResult(intentID: intentID, settlement: settlement, time: time)
        try database.write { access throws(LedgerError) in try access.settle(result) }
    }

    func record(_ refusal: Refusal) throws(LedgerError) {
        try database.write { access throws(LedgerError) in try access.record(refusal) }
    }

    func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.record(result, of: itemID, at: time)
        }
    }

    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) throws(LedgerError) -> UInt64 {
        try database.write { access throws(LedgerError) in
            try access.drawSerials(count, in: series, above: floor, below: ceiling)
        }
    }

    func count(_ question: QuestionTally, at time: Timestamp) throws(LedgerError) -> Bool {
        try database.write { access throws(LedgerError) in try access.count(question, at: time) }
    }

    func used(_ claim: LimitClaim, at seconds: Int64) throws(LedgerError) -> Int128 {
        try used(claim, at: Timestamp(seconds: seconds))
    }

    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at seconds: Int64
    ) throws(LedgerError) {
        try settle(intentID, settlement, at: Timestamp(seconds: seconds))
    }

    /// Counts the intents on record that are not archived.
    func intentCount() throws -> Int64 { try count("audit WHERE kind = 'intent'") }

    /// Counts the rows of a table.
    func count(_ table: String) throws -> Int64 {
        try database.read { access throws(LedgerError) in
            try access.first("SELECT count(*) FROM \(table)") { row throws(LedgerError) in
                try row.integer(0)
            } ?? -1
        }
    }
}
