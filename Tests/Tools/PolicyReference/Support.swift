// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// A request with the facts that a test gives it.
package struct FakeRequest: SignRequest {
    package var protocolID = ProtocolID("nostr")
    package var method = "sign_event"
    package var client: Client?
    package var operations: [RequestedOperation] = []
    package var facts: [Fact] = []
    package var effects: [Effect] = []
    package var dangers: [Danger] = []
    package var decoding = Decoding.full
    package var replayToken: ReplayToken?
    package init(
        protocolID: ProtocolID = ProtocolID("nostr"), method: String = "sign_event",
        client: Client? = nil, operations: [RequestedOperation] = [], facts: [Fact] = [],
        effects: [Effect] = [], dangers: [Danger] = [], decoding: Decoding = .full
    ) {
        self.protocolID = protocolID
        self.method = method
        self.client = client
        self.operations = operations
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.decoding = decoding
    }

    package var summary: Summary { Summary(title: "", lines: [], warnings: []) }

    /// The request as policies see it.
    package func judged(
        at seconds: Int64 = 1_000, clock: Int64? = nil, bytes: Int = 10,
        peer: Peer = Peer(channel: "cli", opensCallbacks: true)
    ) -> JudgedRequest {
        let frame = Frame(bytes: [UInt8](repeating: 0, count: bytes), peer: peer)
        return JudgedRequest(
            self, by: AdapterID("fake"), frame: frame, at: Timestamp(seconds: seconds),
            clock: clock.map { Timestamp(seconds: $0) },
            accounts: ["own1", "own2"].map { .named("alice", address: $0) })
    }
}

extension Account {
    package static func named(
        _ name: String, address: String = "own1", tags: [String] = []
    ) -> Account {
        Account(
            id: KeyID(name), name: name, protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [], address: address, network: nil, tags: tags)
    }
}

extension RequestedOperation {
    package static func fake(
        key: String = "alice", _ facts: [Fact] = [], effects: [Effect] = [],
        dangers: [String] = [], outflows: [Outflow] = [], isCosigning: Bool = false
    ) -> RequestedOperation {
        RequestedOperation(
            account: .named(key), operation: .publicKey, facts: facts, effects: effects,
            dangers: dangers.map { Danger($0) }, outflows: outflows, isCosigning: isCosigning)
    }
}

/// Usage that a test sets by counter, or by counter and window such as `r#count/3600`.
package struct FakeUsage: LimitUsage {
    package var counts: [String: Int128]
    /// The first uses of counterparties by field and value, such as `receiver aa`.
    package var firstUses: [String: Timestamp] = [:]
    /// The uses of counters that have the names of keys, as earlier versions recorded them.
    package var countsByName: [String: Int128] = [:]

    package init(counts: [String: Int128] = [:], firstUses: [String: Timestamp] = [:]) {
        self.counts = counts
        self.firstUses = firstUses
    }

    package func firstUse(of party: Counterparty) throws(LedgerError) -> FirstUse {
        firstUses["\(party.field) \(party.value)"].map { .at($0) } ?? .never
    }

    package func usedByName(
        _ claim: LimitClaim, at _: Timestamp
    ) throws(LedgerError) -> Int128 { countsByName[claim.counter] ?? 0 }

    package func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        if case .sliding(let seconds) = claim.window,
            let count = counts["\(claim.counter)/\(seconds)"]
        {
            return count
        }
        let base = claim.counter.prefix { $0 != "[" }
        return counts[claim.counter] ?? counts[String(base)] ?? 0
    }
}

extension FactSchema {
    package static let all: [FactSchema] = [nostr, near, algorand]

    package static let nostr = FactSchema(
        protocolID: ProtocolID("nostr"),
        methods: ["get_public_key", "sign_event", "nip44_encrypt", "nip44_decrypt"],
        fields: [
            FactField("kind", .integer, note: ""),
            FactField("content.bytes", .integer, note: ""),
            FactField("content.contains", .text, note: ""),
            FactField("tag.*", .text, isList: true, note: ""),
            FactField("tag_count", .integer, note: ""),
            FactField("created_at", .time, note: ""),
            FactField("created_at.skew", .duration, note: ""),
            FactField("url", .text, note: ""),
            FactField("peer", .account, note: "").ofCounterparties(),
            FactField("pubkey_mismatch", .bool, note: ""),
            FactField("id", .bytes, note: ""),
            FactField("digest", .bytes, note: ""),
        ],
        dangers: [Danger("decrypt"), Danger("deletes")])

    package static let near = FactSchema(
        protocolID: ProtocolID("near"), methods: ["sign_message"],
        fields: [
            FactField("network", .text, note: ""), FactField("recipient", .text, note: ""),
            FactField("message.bytes", .integer, note: ""),
            FactField("nonce.reused", .bool, note: "Repeated."),
            FactField("outflow", .near, note: ""),
            FactField("delegate.receiver", .account, isList: true, note: "").ofCounterparties(),
        ],
        dangers: [Danger("intents")])

    package static let algorand = FactSchema(
        protocolID: ProtocolID("algorand"),
        methods: ["discover", "enable", "disable", "sign_transactions"],
        fields: [
            FactField("network", .text, note: ""), FactField("type", .text, note: ""),
            FactField("receiver", .account, note: "").ofCounterparties(),
            FactField("amount", .algo, note: ""),
            FactField("outflow", .algo, note: ""), FactField("asset", .integer, note: ""),
            FactField("asset.amount", .integer, note: "").inUnits(
                of: AssetFields(kind: "asset", identity: "asset")),
            FactField("fee", .algo, note: ""), FactField("rekey_to", .account, note: ""),
        ],
        dangers: [Danger("rekey"), Danger("close_out")], endings: ["disable"],
        keyless: ["discover"])
}

extension FactType {
    package static let near = FactType.amount(
        AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR"))
    package static let algo = FactType.amount(
        AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo"))
}

/// A digest that distinguishes the texts of tests.
package func fakeDigest(_ bytes: Span<UInt8>) -> [UInt8] {
    var state: UInt64 = 14_695_981_039_346_656_037
    for index in 0..<bytes.count { state = (state ^ UInt64(bytes[index])) &* 1_099_511_628_211 }
    return (0..<32).map { UInt8(truncatingIfNeeded: (state &* UInt64($0 + 1)) >> 24) }
}

/// Loads rules with a `version` and a `default` before them.
package func policy(
    _ rules: String, fallback: String = "ask", at seconds: Int64 = 1_000, version: Int = 1
) throws(PolicyLoadError) -> TOMLPolicy {
    try loaded("version = \(version)\ndefault = \"\(fallback)\"\n\(rules)", at: seconds)
}

/// Loads a whole file.
package func loaded(
    _ text: String, at seconds: Int64 = 1_000, isInForce: Bool = false
) throws(PolicyLoadError) -> TOMLPolicy {
    try TOMLPolicy.load(
        Array(text.utf8).span, fileName: "policy.toml", schemas: FactSchema.all,
        at: Timestamp(seconds: seconds), isInForce: isInForce, sha256: fakeDigest)
}

/// SplitMix64, which gives the same numbers for the same seed.
package struct SeededGenerator: RandomNumberGenerator {
    package var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
