// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The approvals of several people, as entries contain them since format 13.
///
/// With the hash of the policy in force it has all that the approvers signed, so that the
/// signatures can be verified later.
struct ApprovalEntry: Hashable, Sendable {
    /// One approver's yes.
    struct Yes: Hashable, Sendable {
        /// The approver's name in the policy.
        var name: String
        var publicKey: [UInt8]
        var signature: [UInt8]

        /// The signed answer.
        var answer: JointAnswer {
            JointAnswer(publicKey: publicKey, isYes: true, signature: signature)
        }
    }

    /// SHA-256 of the question.
    var question: [UInt8]
    /// The last moment at which the approvals count.
    var expires: Timestamp
    /// The amounts, or the act, as they were shown.
    var totals: [String]
    /// The approver keys that signing hubs held, for the owner's acts; nil for requests.
    var ownKeys: [[UInt8]]?
    var yeses: [Yes]

    init(_ approval: JointApproval, ownKeys: [[UInt8]]?) {
        question = approval.digest
        expires = approval.expires
        totals = approval.totals
        self.ownKeys = ownKeys
        yeses = approval.yeses.map {
            Yes(
                name: Entry.clipped($0.name), publicKey: $0.answer.publicKey,
                signature: $0.answer.signature)
        }
    }

    private init(_ reader: inout EntryReader) throws(EntryError) {
        expires = try reader.time("expires")
        ownKeys = reader.isNext("own") ? try reader.hexes("own") : nil
        question = try reader.hex("question")
        totals = try reader.texts("totals")
        yeses = try reader.list("yes") { reader throws(EntryError) in
            try reader.object { reader throws(EntryError) in
                let key = try reader.hex("key")
                return Yes(
                    name: try reader.text("name"), publicKey: key,
                    signature: try reader.hex("signature"))
            }
        }
    }

    /// Reads the member `approvers`, if it is there.
    static func optional(_ reader: inout EntryReader) throws(EntryError) -> ApprovalEntry? {
        guard reader.isNext("approvers") else { return nil }
        return try reader.object("approvers") { reader throws(EntryError) in
            try ApprovalEntry(&reader)
        }
    }

    func write(to writer: inout EntryWriter) {
        writer.object("approvers") { writer in
            writer.integer("expires", expires.seconds)
            if let ownKeys { writer.hexes("own", ownKeys) }
            writer.hex("question", question)
            writer.texts("totals", totals)
            writer.list("yes", yeses) { writer, yes in
                writer.put { writer in
                    writer.hex("key", yes.publicKey)
                    writer.text("name", yes.name)
                    writer.hex("signature", yes.signature)
                }
            }
        }
    }
}
