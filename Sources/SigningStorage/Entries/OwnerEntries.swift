// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// A freeze of signing.
struct FreezeEntry: Hashable, Sendable {
    var reason: String
    /// Whether only an entry that the log key signed ends it, as since format 17.
    var needsSignature = true
}

/// The end of a freeze.
struct ThawEntry: Hashable, Sendable {
    /// The hash of the freeze's entry, if several people approved its end (since format 13).
    var freeze: [UInt8]?
    var approval: ApprovalEntry?
    /// The signature of the log key; nil in entries of formats 1 to 16.
    var signature: [UInt8]?
}

/// The revocation of grants, or the end of connections.
struct RevokeEntry: Hashable, Sendable {
    /// The ids of the grants.
    var grants: [[UInt8]]
    /// The reason, if it was not an act of the owner (since format 9).
    var reason: String?
    /// The ids of the connections (since format 9); nil if the entry revokes grants.
    var connections: [[UInt8]]?
}

/// A policy that is put in force.
struct AttestEntry: Hashable, Sendable {
    var policyHash: [UInt8]
    /// The approvers that the policy demands for the owner's acts; none before format 13.
    var governance = Governance.none
    /// The signature of the log key; nil in entries of formats 1 to 5.
    var signature: [UInt8]?
    /// The SHA-256 of the policy's text (since format 16); nil if the text is not kept.
    var textDigest: [UInt8]?
    var approval: ApprovalEntry?
}

/// The export of a secret key.
struct ExportEntry: Hashable, Sendable {
    var key: KeyID
    /// The owner's name for the key.
    var name: String
    /// The form in which the secret was written.
    var form: String
    var approval: ApprovalEntry?
}

/// A change of the name and the tags of a key, which rules can use.
struct KeyEntry: Hashable, Sendable {
    var key: KeyID
    var name: String
    var tags: [String]
    /// The name before.
    var oldName: String
    /// The tags before.
    var oldTags: [String]
    /// The approvals of new tags by which other rules apply to the key.
    var approval: ApprovalEntry?
}

/// A repair by the owner.
struct RepairEntry: Hashable, Sendable {
    /// A record that was begun anew.
    struct Beginning: Hashable, Sendable {
        /// The reason that the record before was given up.
        var reason: String
        /// The number of entries that the record before had, as far as the vault knows.
        var lost: Int64
    }

    /// The repaired part: `clock`, `vault`, `tables` or `ledger`.
    var part: String
    /// The signature of the log key.
    var signature: [UInt8]
    /// The beginning of a new record; nil for other repairs.
    var beginning: Beginning?
    /// The SHA-256 of each policy text that was lost (since format 16).
    var lostTexts: [[UInt8]] = []

    /// The name of the part if the record begins anew.
    static let ledger = "ledger"
    /// The name of the part if the time on record was in the future.
    static let clock = "clock"
    /// The name of the part if the tables were made again from the entries.
    static let tables = "tables"
}

extension FreezeEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        needsSignature = reader.isNext("end_is_signed")
        if needsSignature {
            guard try reader.flag("end_is_signed") else { throw reader.expected("true") }
        }
        try reader.kind(.freeze)
        reason = try reader.text("reason")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        if needsSignature { writer.flag("end_is_signed", true) }
        writer.kind()
        writer.text("reason", reason)
        writer.time()
    }
}

extension ThawEntry {
    /// Ends a freeze by the entry after `head`; the approval names the freeze's entry.
    init(
        _ freeze: [UInt8], _ approval: ApprovalEntry?, after head: AuditHead,
        signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        self.freeze = approval == nil ? nil : freeze
        self.approval = approval
        signature = try LogStatement.thaw(after: head).signed(by: key)
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        approval = try ApprovalEntry.optional(&reader)
        try reader.clock()
        freeze = reader.isNext("freeze") ? try reader.hex("freeze") : nil
        try reader.kind(.thaw)
        signature = reader.isNext("signature") ? try reader.hex("signature") : nil
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        approval?.write(to: &writer)
        writer.clock()
        if let freeze { writer.hex("freeze", freeze) }
        writer.kind()
        if let signature { writer.hex("signature", signature) }
        writer.time()
    }
}

extension RevokeEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        grants = try reader.hexes("grants")
        try reader.kind(.revoke)
        reason = reader.isNext("reason") ? try reader.text("reason") : nil
        connections = reader.isNext("sessions") ? try reader.hexes("sessions") : nil
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.hexes("grants", grants)
        writer.kind()
        if let reason { writer.text("reason", reason) }
        if let connections { writer.hexes("sessions", connections) }
        writer.time()
    }
}

extension AttestEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        approval = try ApprovalEntry.optional(&reader)
        try reader.clock()
        if reader.isNext("governance") {
            governance = try reader.json("governance") { GovernanceRecord.governance($0) }
        }
        try reader.kind(.attest)
        policyHash = try reader.hex("policy")
        signature = reader.isNext("signature") ? try reader.hex("signature") : nil
        textDigest = reader.isNext("text_sha256") ? try reader.hex("text_sha256") : nil
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        approval?.write(to: &writer)
        writer.clock()
        if !governance.isEmpty { writer.json("governance", GovernanceRecord.json(governance)) }
        writer.kind()
        writer.hex("policy", policyHash)
        if let signature { writer.hex("signature", signature) }
        if let textDigest { writer.hex("text_sha256", textDigest) }
        writer.time()
    }
}

extension ExportEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        approval = try ApprovalEntry.optional(&reader)
        try reader.clock()
        form = try reader.text("form")
        key = KeyID(try reader.text("key"))
        try reader.kind(.export)
        name = try reader.text("name")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        approval?.write(to: &writer)
        writer.clock()
        writer.text("form", form)
        writer.text("key", key.text)
        writer.kind()
        writer.text("name", name)
        writer.time()
    }
}

extension KeyEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        approval = try ApprovalEntry.optional(&reader)
        (oldName, oldTags) = try reader.object("before") { reader throws(EntryError) in
            (try reader.text("name"), try reader.texts("tags"))
        }
        try reader.clock()
        key = KeyID(try reader.text("key"))
        try reader.kind(.key)
        name = try reader.text("name")
        tags = try reader.texts("tags")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        approval?.write(to: &writer)
        writer.object("before") { writer in
            writer.text("name", oldName)
            writer.texts("tags", oldTags)
        }
        writer.clock()
        writer.text("key", key.text)
        writer.kind()
        writer.text("name", name)
        writer.texts("tags", tags)
        writer.time()
    }
}

extension RepairEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        try reader.kind(.repair)
        if reader.isNext("lost") {
            let lost = try reader.integer("lost")
            beginning = Beginning(reason: try reader.text("reason"), lost: lost)
        } else if reader.isNext("lost_texts") {
            lostTexts = try reader.filledList("lost_texts") { reader throws(EntryError) in
                try reader.hex()
            }
        }
        signature = try reader.hex("signature")
        try reader.time()
        part = try reader.text("what")
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.kind()
        if let beginning {
            writer.integer("lost", beginning.lost)
            writer.text("reason", beginning.reason)
        } else if !lostTexts.isEmpty {
            writer.hexes("lost_texts", lostTexts)
        }
        writer.hex("signature", signature)
        writer.time()
        writer.text("what", part)
    }
}
