// SPDX-License-Identifier: Apache-2.0

@testable package import SigningCore

/// The checks that every ledger must pass, independent of its storage.
package struct LedgerConformance: Sendable {
    /// Two handles of one record, which may be the same.
    package struct Subject: Sendable {
        let first: any Ledger
        let second: any Ledger
        let settle: @Sendable () throws -> Void
        let archive: @Sendable (Timestamp) throws -> Void
        let countsQuestionsTogether: Bool

        /// Creates the handles.
        ///
        /// `settle` makes each handle of the ledger see the writes of the other; `archive`
        /// archives, by the first handle, the entries up to a time, where a record can be archived.
        /// `countsQuestionsTogether` is false if each handle counts its own questions.
        package init(
            _ first: any Ledger, _ second: any Ledger,
            countsQuestionsTogether: Bool = true,
            archive: @escaping @Sendable (Timestamp) throws -> Void = { _ in },
            settle: @escaping @Sendable () throws -> Void
        ) {
            self.first = first
            self.second = second
            self.archive = archive
            self.countsQuestionsTogether = countsQuestionsTogether
            self.settle = settle
        }
    }

    /// One check: its subject, and the errors it finds.
    struct Check: Sendable {
        let name: String
        let findings: @Sendable (Subject) async throws -> [String]
    }

    private let make: @Sendable () throws -> Subject

    /// `make` makes a ledger with an empty record.
    package init(make: @escaping @Sendable () throws -> Subject) { self.make = make }

    /// The errors found, in sentences; an empty list is a pass.
    package func findings() async -> [String] {
        var findings: [String] = []
        for check in Self.requests + Self.memories + Self.archives {
            do {
                findings += try await check.findings(make()).map { "\(check.name): \($0)" }
            } catch {
                findings.append("\(check.name): \(error)")
            }
        }
        return findings
    }

    static let policy = [UInt8](repeating: 9, count: 32)
    static let time = Timestamp(seconds: 1_000)
    static let unused = Settlement.notUsed(Reason(.keyUnavailable, "the vault is locked"))

    static func check(_ facts: (String, Bool)...) -> [String] {
        facts.filter { !$0.1 }.map(\.0)
    }

    /// The error with which a body is refused; nil if it succeeds.
    static func refusal(
        _ body: () async throws(LedgerError) -> Void
    ) async -> LedgerError? {
        do throws(LedgerError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    static func refusal(_ ledger: any Ledger, _ intent: Intent) async -> LedgerError? {
        await refusal { () throws(LedgerError) in
            try await ledger.reserve(intent, currentPolicyHash: policy)
        }
    }

    static func settle(
        _ intent: Intent, _ settlement: Settlement, in ledger: any Ledger
    ) async throws(LedgerError) {
        try await ledger.settle(intent.id, settlement, at: time)
    }

    /// Reserves and settles an intent.
    static func done(_ settlement: Settlement, in ledger: any Ledger) async throws(LedgerError) {
        let intent = intent()
        try await ledger.reserve(intent, currentPolicyHash: policy)
        try await settle(intent, settlement, in: ledger)
    }

    static func intent(
        at seconds: Int64 = 1_000, claims: [LimitClaim] = [], token: ReplayToken? = nil,
        tokenWasSeen: Bool? = nil, grants: [Grant] = [], scopes: [Grant.Scope] = [],
        serials: [SerialUse] = [], policy: [UInt8] = policy, connections: [[UInt8]] = []
    ) -> Intent {
        var intent = Intent(
            id: (0..<16).map { _ in UInt8.random(in: 0...255) }, time: Timestamp(seconds: seconds),
            adapter: AdapterID("a"), protocolID: ProtocolID("p"), method: "sign",
            client: nil, channel: "cli", login: nil, keys: [KeyID("k")],
            requestDigest: [UInt8](repeating: 1, count: 32), policyHash: policy,
            decidedBy: "policy", grants: grants, scopes: scopes, facts: [[]], decoding: .full,
            frameBytes: 10, rules: [], effects: [], dangers: [], claims: claims,
            replayToken: token, serials: serials, tokenWasSeen: tokenWasSeen)
        intent.requiredConnections = connections
        return intent
    }

    static func claim(
        _ counter: String = "c", window: Int64? = 100, maximum: Int128 = 3, amount: Int128 = 1
    ) -> LimitClaim {
        LimitClaim(
            counter: counter, window: window.map { .sliding(seconds: $0) } ?? .ever,
            maximum: maximum, amount: amount)
    }
}
