// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// Content that the ledger had before entries named it (since format 16).
///
/// Nothing vouches for its origin; from this entry on the chain and its checkpoints vouch for it.
struct CarryEntry: Hashable, Sendable {
    /// The text of a policy whose entry does not name it.
    struct PolicyText: Hashable, Sendable {
        /// The number of the entry that put the policy in force.
        var sequence: Int64
        /// The SHA-256 of the text.
        var digest: [UInt8]
    }

    var policies: [PolicyText]
    /// The SHA-256 of the texts with rows that entries before format 17 do not state; none in
    /// entries of format 16.
    var rows: [[UInt8]] = []
}

extension CarryEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        try reader.kind(.carry)
        policies =
            reader.isNext("policies")
            ? try reader.filledList("policies") { reader throws(EntryError) in
                try reader.object { reader throws(EntryError) in
                    PolicyText(
                        sequence: try reader.integer("entry"), digest: try reader.hex("sha256"))
                }
            } : []
        if policies.isEmpty || reader.isNext("rows") {
            rows = try reader.filledList("rows") { reader throws(EntryError) in
                try reader.hex()
            }
        }
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.kind()
        if !policies.isEmpty {
            writer.list("policies", policies) { writer, text in
                writer.put { writer in
                    writer.integer("entry", text.sequence)
                    writer.hex("sha256", text.digest)
                }
            }
        }
        if !rows.isEmpty { writer.hexes("rows", rows) }
        writer.time()
    }
}
