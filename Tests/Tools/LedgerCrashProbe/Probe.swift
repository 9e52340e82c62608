// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import SigningCrypto
import SigningFiles
import SigningHome
import SigningPolicy
import SigningStorage
import SigningVault

/// Sends requests through a real hub over a given ledger, until it is stopped or killed.
///
/// Arguments: a home, the number of uses that a policy file allows, the number of requests, and the
/// number of tasks that share them. It prints an intent's id after the ledger promised that the
/// intent is on record.
///
/// With `archive` and a home only, it archives the record with a vault that "pass" opens.
@main struct Probe {
    static func main() async {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "archive" { archive(arguments[2]) }
        guard arguments.count == 5, let maximum = Int128(arguments[2]),
            let count = Int(arguments[3]), let tasks = Int(arguments[4])
        else { exit(EX_USAGE) }
        do {
            let home = try Home.open(at: arguments[1])
            try home.bringUpToDate()
            let ledger = try SQLiteLedger.open(home)
            let hub = SigningHub(
                policy: try policy(maximum), keyStore: PublicKeyStore(),
                ledger: PrintingLedger(ledger: ledger), approval: NoApproval(),
                environment: SystemEnvironment())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<tasks { group.addTask { await send(count / tasks, to: hub) } }
            }
        } catch {
            exit(EX_IOERR)
        }
    }

    private static func archive(_ path: String) -> Never {
        do {
            let home = try Home.open(at: path)
            let vault = try Vault.open(home, domains: DomainRegistry([]))
            try vault.unlock(passphrase: SecretBytes(copying: "pass".utf8.span))
            let environment = SystemEnvironment()
            let archive = RecordArchive(
                vault: vault, ledger: try SQLiteLedger.open(home), environment: environment)
            _ = unsafe write(STDOUT_FILENO, "ready\n", 6)
            _ = try archive.archive(until: environment.now())
            exit(EX_OK)
        } catch {
            exit(EX_IOERR)
        }
    }

    /// A limit of uses without a window, and an amount per day that the same request exhausts.
    private static func policy(_ maximum: Int128) throws -> TOMLPolicy {
        let sum = maximum * ProbeRequest.amount
        let text = """
            version = 1
            default = "deny"
            [[rule]]
            id = "probe"
            effect = "allow"
            protocol = "probe"
            limit = [
                { uses = \(maximum) },
                { amount = \(sum), of = "amount", per = "day", tz = "UTC" },
            ]
            """
        return try TOMLPolicy.load(
            Array(text.utf8).span, fileName: "probe", schemas: [ProbeAdapter().schema],
            at: Timestamp(seconds: 0), sha256: { _ in [UInt8](repeating: 7, count: 32) })
    }

    private static func send(_ count: Int, to hub: SigningHub) async {
        for _ in 0..<count {
            let frame = Frame(
                bytes: SystemEnvironment().randomBytes(16),
                peer: Peer(channel: "probe"))
            switch await hub.answer(frame, with: ProbeAdapter()).ending {
            case .outcome(.done): continue
            case .outcome(.denied): return
            case .outcome(.failed), .refused:
                print("failed")
                exit(EX_TEMPFAIL)
            }
        }
    }
}

/// Prints the id of each reserved intent.
struct PrintingLedger: Ledger {
    let ledger: SQLiteLedger

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.used(claim, at: now)
    }

    func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.usedByName(claim, at: now)
    }

    func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant] {
        try ledger.grants(for: scopes)
    }

    func noted(_ name: String, about subject: Note.Subject) throws(LedgerError) -> Note? {
        try ledger.noted(name, about: subject)
    }

    func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection] {
        try ledger.connections(of: client, in: protocolID)
    }

    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64 {
        try await ledger.drawSerials(count, in: series, above: floor, below: ceiling)
    }

    func count(_ question: QuestionTally, at now: Timestamp) async throws(LedgerError) -> Bool {
        try await ledger.count(question, at: now)
    }

    func length() throws(LedgerError) -> RecordLength { try ledger.length() }

    func isFrozen() throws(LedgerError) -> Bool { try ledger.isFrozen() }

    func latestTime() throws(LedgerError) -> Timestamp? { try ledger.latestTime() }

    func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        try ledger.wasSeen(token)
    }

    func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) async throws(LedgerError) {
        try await ledger.reserve(intent, currentPolicyHash: currentPolicyHash)
        let line = intent.id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
        // One unbuffered call, so that output before a kill is complete.
        _ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
    }

    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at time: Timestamp
    ) async throws(LedgerError) {
        try await ledger.settle(intentID, settlement, at: time)
    }

    func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) async throws(LedgerError) {
        try await ledger.record(result, of: itemID, at: time)
    }

    func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool {
        try ledger.mayHaveSent(itemID)
    }

    func unsettled(of protocolID: ProtocolID) throws(LedgerError) -> [UnsentItem] {
        try ledger.unsettled(of: protocolID)
    }

    func record(_ refusal: Refusal) async throws(LedgerError) {
        try await ledger.record(refusal)
    }
}

/// Holds no keys and answers everything with a public key.
struct PublicKeyStore: KeyStore {
    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] { throw .locked }

    func accounts() throws(KeyStoreError) -> [Account] { [] }

    func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        permit.operations.map { .publicKey($0.account.publicKey) }
    }
}

/// Takes any bytes for a request.
struct ProbeAdapter: ProtocolAdapter {
    let id = AdapterID("probe")
    let frameBytesMax = 1_024
    let domains: [SigningDomain] = []
    let schema = FactSchema(
        protocolID: ProtocolID("probe"), methods: ["probe"],
        fields: [FactField("amount", .integer, note: "What it uses.")], dangers: [])

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> ProbeRequest {
        ProbeRequest(replayToken: ReplayToken(context.freshID, isSingleUse: true))
    }

    func encode(_: Outcome, to _: ProbeRequest) -> Reply { .silence("probe") }

    func refuseOversize(frameBytes _: Int) -> AdapterError {
        AdapterError(code: "too_large", reason: "too large", reply: .silence("probe"))
    }
}

/// One use of a public key.
struct ProbeRequest: SignRequest {
    let replayToken: ReplayToken?
    let protocolID = ProtocolID("probe")
    let method = "probe"
    let client: Client? = nil
    static let amount: Int128 = 3
    let facts = [Fact("amount", .integer(amount))]
    let effects: [Effect] = [.revealsKey]
    let dangers: [Danger] = []
    let decoding = Decoding.full
    let summary = Summary(title: "probe", lines: [], warnings: [])

    var operations: [RequestedOperation] {
        let account = Account(
            id: KeyID("probe"), name: "probe", protocolID: protocolID, algorithm: .ed25519,
            publicKey: [UInt8](repeating: 1, count: 32), address: "probe", network: nil)
        return [
            RequestedOperation(
                account: account, operation: .publicKey, facts: [], effects: [], dangers: [])
        ]
    }
}
