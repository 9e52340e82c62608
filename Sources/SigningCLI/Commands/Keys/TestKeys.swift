// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore
import SigningFiles

/// A key store of accounts without keys, which can decode requests and never sign.
struct ListedKeys: KeyStore {
    private let listed: [Account]

    init(_ accounts: [Account]) { listed = accounts }

    func accounts() throws(KeyStoreError) -> [Account] { listed }

    func seal(_: [Grant]) throws(KeyStoreError) -> [SealedGrant] { throw .locked }

    func perform(_: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] { throw .locked }
}

/// An empty ledger that refuses to record.
struct BlankLedger: Ledger {
    /// True if every client is a new client.
    let hasNewClients: Bool
    /// The name of this hub in a shared record.
    let hubName: String?
    /// The accounts to which every client is connected, on every network with a node.
    var connected: [Account] = []
    /// True if every request was signed before.
    var hasSigned = false

    func used(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func wasSeen(_: ReplayToken) throws(LedgerError) -> Bool { hasSigned }

    func length() throws(LedgerError) -> RecordLength { RecordLength(entries: 0) }

    func isFrozen() throws(LedgerError) -> Bool { false }

    func latestTime() throws(LedgerError) -> Timestamp? { nil }

    /// The note that a client is known, unless clients are new; nil for all other notes.
    func noted(_ name: String, about subject: Note.Subject) throws(LedgerError) -> Note? {
        name == Note.seen && !hasNewClients ? Note(subject, name, 1) : nil
    }

    func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection] {
        connected.filter { $0.protocolID == protocolID }.flatMap { account in
            AlgorandNodes.networks.map { network in
                ClientConnection(
                    id: [UInt8](repeating: 0, count: 16), protocolID: protocolID, client: client,
                    network: network.policyName, key: account.id, address: account.address,
                    started: Timestamp(seconds: 0))
            }
        }
    }

    func drawSerials(
        _: Int, in _: String, above _: UInt64, below _: UInt64
    ) throws(LedgerError) -> UInt64 { throw .unavailable("test keys keep no record") }

    func count(_: QuestionTally, at _: Timestamp) throws(LedgerError) -> Bool { true }

    func grants(for _: [Grant.Scope]) throws(LedgerError) -> [SealedGrant] { [] }

    func reserve(_: Intent, currentPolicyHash _: [UInt8]) throws(LedgerError) {
        throw .unavailable("test keys keep no record")
    }

    func settle(_: [UInt8], _: Settlement, at _: Timestamp) throws(LedgerError) {
        throw .unavailable("test keys keep no record")
    }

    func record(_: Broadcast.Result, of _: String, at _: Timestamp) throws(LedgerError) {
        throw .unavailable("test keys keep no record")
    }

    func mayHaveSent(_: String) throws(LedgerError) -> Bool { false }

    func unsettled(of _: ProtocolID) throws(LedgerError) -> [UnsentItem] { [] }

    func record(_: Refusal) throws(LedgerError) { throw .unavailable("test keys keep no record") }
}

/// An environment whose clock shows the time that a test names.
struct TestEnvironment: HubEnvironment {
    let time: Timestamp?

    func now() -> Timestamp { time ?? SystemEnvironment().now() }

    func uptime() -> Duration { SystemEnvironment().uptime() }

    func randomBytes(_ count: Int) -> [UInt8] { SystemEnvironment().randomBytes(count) }

    func sha256(_ bytes: Span<UInt8>) -> [UInt8] { SystemEnvironment().sha256(bytes) }

    func identity(ofClaim claim: String) -> (id: String, party: String) {
        SystemEnvironment().identity(ofClaim: claim)
    }
}
