// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The members that intents and refusals have in common.
struct RequestEntry: Hashable, Sendable {
    var adapter: AdapterID
    var protocolID: ProtocolID
    var method: String
    /// The client that asked; nil if it was not known.
    var client: ClientEntry?
    var channel: String
    /// SHA-256 of the frame.
    var requestDigest: [UInt8]
    /// The hash of the policy that judged.
    var policyHash: [UInt8]
    /// The keys in the order of the operations; nil in refusals of format 1.
    var keys: [KeyID]?
    /// The effects; nil in refusals of format 1.
    var effects: [Effect]?
    /// The dangers; nil in refusals of format 1.
    var dangers: [Danger]?
    /// The facts of each operation; nil in entries of format 1.
    var facts: [[Fact]]?
    /// The part that the adapter understood; nil in entries of formats 1 and 2.
    var decoding: Decoding?
    /// The size of the frame in bytes; nil in entries of formats 1 and 2.
    var frameBytes: Int64?
}

/// The announcement of a use of keys.
struct IntentEntry: Hashable, Sendable {
    var request: RequestEntry
    /// The id of the request.
    var id: [UInt8]
    /// The source of the yes, such as `policy` or `person`.
    var decidedBy: String
    /// The ids of the deciding rules.
    var rules: [String]
    /// The claims on limits.
    var claims: [LimitClaim]
    /// The used amount of each claim's counter before; empty in entries of formats 1 to 13.
    var used: [Int128] = []
    /// The ids of the grants that the request uses; nil in entries of format 1.
    var grants: [[UInt8]]?
    /// The token by which a repetition is recognised.
    var replay: ReplayEntry?
    /// The numbers that no other intent may use; none in entries of formats 1 to 3.
    var serials: [SerialUse]
    /// The approvals of several people; nil if they were not asked.
    var approval: ApprovalEntry?
}

/// A token by which a repeated request is recognised.
struct ReplayEntry: Hashable, Sendable {
    /// SHA-256 of the token.
    var hash: [UInt8]
    /// Whether the token was on record when the request was judged; nil if that does not count, and
    /// in entries of formats 1 to 16.
    var wasSeen: Bool?
    var isSingleUse: Bool
}

/// A request that was not carried out.
struct RefusalEntry: Hashable, Sendable {
    var request: RequestEntry
    /// The id of the request; nil in entries before ids of refusals were recorded (format 15).
    var id: [UInt8]?
    /// `denied` or `failed`.
    var outcome: String
    var reason: Reason
    /// The denials to remember.
    var remembers: [GrantEntry]
}

extension RequestEntry {
    init(_ intent: Intent) {
        self.init(
            adapter: intent.adapter, protocolID: intent.protocolID,
            method: Entry.clipped(intent.method), client: intent.client.map { ClientEntry($0) },
            channel: Entry.clipped(intent.channel), requestDigest: intent.requestDigest,
            policyHash: intent.policyHash, keys: intent.keys, effects: intent.effects,
            dangers: intent.dangers, facts: intent.facts, decoding: intent.decoding,
            frameBytes: Int64(intent.frameBytes))
    }
}

extension IntentEntry {
    init(_ intent: Intent) {
        request = RequestEntry(intent)
        id = intent.id
        decidedBy = intent.decidedBy
        rules = intent.rules
        claims = intent.claims
        grants = intent.grants.map(\.id)
        replay = intent.replayToken.map {
            ReplayEntry(
                hash: $0.hash, wasSeen: intent.tokenWasSeen, isSingleUse: $0.isSingleUse)
        }
        serials = intent.serials.map {
            SerialUse(series: Entry.clipped($0.series), number: $0.number)
        }
        approval = intent.approval.map { ApprovalEntry($0, ownKeys: nil) }
    }

    func write(to writer: inout EntryWriter) {
        writer.text("adapter", request.adapter.name)
        if let approval { approval.write(to: &writer) }
        writer.text("channel", request.channel)
        writer.list("claims", claims) { writer, claim in writer.put(claim) }
        writer.client(request.client)
        writer.clock()
        writer.dangers(request.dangers)
        writer.text("decided_by", decidedBy)
        if let decoding = request.decoding { writer.text("decoded", decoding.rawValue) }
        writer.effects(request.effects)
        writer.facts(request.facts)
        if let grants { writer.hexes("grants", grants) }
        writer.hex("id", id)
        writer.keys(request.keys)
        writer.kind()
        writer.text("method", request.method)
        writer.hex("policy", request.policyHash)
        writer.text("protocol", request.protocolID.name)
        if let replay {
            writer.object("replay") { writer in
                writer.hex("hash", replay.hash)
                if let wasSeen = replay.wasSeen { writer.flag("seen", wasSeen) }
                writer.flag("single_use", replay.isSingleUse)
            }
        } else {
            writer.null("replay")
        }
        writer.hex("request", request.requestDigest)
        writer.texts("rules", rules)
        if !serials.isEmpty {
            writer.list("serials", serials) { writer, serial in writer.put(serial) }
        }
        if let size = request.frameBytes { writer.integer("size", size) }
        writer.time()
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        let adapter = AdapterID(try reader.text("adapter"))
        approval = try ApprovalEntry.optional(&reader)
        let channel = try reader.text("channel")
        claims = try reader.list("claims") { reader throws(EntryError) in try reader.claim() }
        let client = try reader.client()
        try reader.clock()
        let dangers = try reader.dangers()
        decidedBy = try reader.text("decided_by")
        let decoding = try reader.decoding()
        let effects = try reader.effects()
        let facts = try reader.facts()
        grants = reader.isNext("grants") ? try reader.hexes("grants") : nil
        id = try reader.hex("id")
        let keys = try reader.keys()
        try reader.kind(.intent)
        let method = try reader.text("method")
        let policyHash = try reader.hex("policy")
        let protocolID = ProtocolID(try reader.text("protocol"))
        replay =
            try reader.null("replay")
            ? nil
            : try reader.object("replay") { reader throws(EntryError) in
                ReplayEntry(
                    hash: try reader.hex("hash"),
                    wasSeen: reader.isNext("seen") ? try reader.flag("seen") : nil,
                    isSingleUse: try reader.flag("single_use"))
            }
        let requestDigest = try reader.hex("request")
        rules = try reader.texts("rules")
        serials =
            reader.isNext("serials")
            ? try reader.filledList("serials") { reader throws(EntryError) in
                try reader.serial()
            } : []
        let size = reader.isNext("size") ? try reader.integer("size") : nil
        try reader.time()
        if reader.isNext("used") {
            used = try reader.filledList("used") { reader throws(EntryError) in
                try reader.number()
            }
        }
        request = RequestEntry(
            adapter: adapter, protocolID: protocolID, method: method, client: client,
            channel: channel, requestDigest: requestDigest, policyHash: policyHash, keys: keys,
            effects: effects, dangers: dangers, facts: facts, decoding: decoding, frameBytes: size)
    }
}

extension RefusalEntry {
    init(_ refusal: Refusal) {
        request = RequestEntry(
            adapter: refusal.adapter, protocolID: refusal.protocolID,
            method: Entry.clipped(refusal.method), client: refusal.client.map { ClientEntry($0) },
            channel: Entry.clipped(refusal.channel), requestDigest: refusal.requestDigest,
            policyHash: refusal.policyHash, keys: refusal.keys, effects: refusal.effects,
            dangers: refusal.dangers, facts: refusal.facts, decoding: refusal.decoding,
            frameBytes: Int64(refusal.frameBytes))
        id = refusal.id
        outcome = refusal.kind
        reason = Reason(recorded: refusal.reason)
        remembers = refusal.remembers.map { GrantEntry(SealedGrant($0, seal: [])) }
    }

    func write(to writer: inout EntryWriter) {
        writer.text("adapter", request.adapter.name)
        writer.text("channel", request.channel)
        writer.client(request.client)
        writer.clock()
        writer.dangers(request.dangers)
        if let decoding = request.decoding { writer.text("decoded", decoding.rawValue) }
        writer.effects(request.effects)
        writer.facts(request.facts)
        if let id { writer.hex("id", id) }
        writer.keys(request.keys)
        writer.kind()
        writer.text("method", request.method)
        writer.text("outcome", outcome)
        writer.hex("policy", request.policyHash)
        writer.text("protocol", request.protocolID.name)
        writer.reason(reason)
        writer.grants("remembers", remembers)
        writer.hex("request", request.requestDigest)
        if let size = request.frameBytes { writer.integer("size", size) }
        writer.time()
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        let adapter = AdapterID(try reader.text("adapter"))
        let channel = try reader.text("channel")
        let client = try reader.client()
        try reader.clock()
        let dangers = try reader.dangers()
        let decoding = try reader.decoding()
        let effects = try reader.effects()
        let facts = try reader.facts()
        id = reader.isNext("id") ? try reader.hex("id") : nil
        let keys = try reader.keys()
        try reader.kind(.refusal)
        let method = try reader.text("method")
        outcome = try reader.text("outcome")
        let policyHash = try reader.hex("policy")
        let protocolID = ProtocolID(try reader.text("protocol"))
        reason = try reader.reason()
        remembers = try reader.grants("remembers")
        let requestDigest = try reader.hex("request")
        let size = reader.isNext("size") ? try reader.integer("size") : nil
        try reader.time()
        request = RequestEntry(
            adapter: adapter, protocolID: protocolID, method: method, client: client,
            channel: channel, requestDigest: requestDigest, policyHash: policyHash, keys: keys,
            effects: effects, dangers: dangers, facts: facts, decoding: decoding, frameBytes: size)
    }
}
