// SPDX-License-Identifier: Apache-2.0

/// A question that several people answer, each on a separate machine, with all that they see.
public struct JointQuestion: Hashable, Sendable {
    /// The longest text to show to several people, in bytes.
    public static let textBytesMax = 256 << 10

    /// The values that an answer is bound to.
    public let binding: ApprovalBinding
    /// The complete text to show, up to the last byte of the request.
    public let text: String
    /// The amounts that leave accounts: smallest units and the asset's id, one text for each.
    public let totals: [String]
    /// The demands to meet, sorted by rule.
    public let demands: [ApproverDemand]
    /// The approver keys of the home that received the request: the keys of the submitter.
    public let ownKeys: [[UInt8]]

    /// Makes a question; called by `JointQuestions`, by `GovernanceQuestions`, and where a
    /// recorded question is read back.
    public init(
        binding: ApprovalBinding, text: String, totals: [String], demands: [ApproverDemand],
        ownKeys: [[UInt8]]
    ) {
        self.binding = binding
        self.text = text
        self.totals = totals
        self.demands = demands.sorted { $0.rule < $1.rule }
        self.ownKeys = ownKeys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The canonical form that is hashed: each part after its length, numbers big-endian.
    public var bytes: [UInt8] {
        var writer = PartWriter("countersign question v1\0")
        writer.put(binding.nonce)
        writer.put(binding.requestDigest)
        writer.put(binding.policyHash)
        writer.put(binding.keys.map { Array($0.text.utf8) })
        writer.put(binding.expires.seconds)
        writer.put(Array(text.utf8))
        writer.put(totals.map { Array($0.utf8) })
        writer.put(Int64(demands.count))
        for demand in demands {
            writer.put(Array(demand.rule.utf8))
            writer.put(Int64(demand.minimum))
            writer.put(demand.members.flatMap { [Array($0.name.utf8), $0.key] })
            writer.put(demand.seconds)
            writer.put(demand.submitterMayApprove ? 1 : 0)
        }
        writer.put(ownKeys)
        return writer.bytes
    }

    /// Returns the bytes that an approver signs as an answer; `digest` is SHA-256 of `bytes`.
    public func statement(
        digest: [UInt8], isYes: Bool, by publicKey: [UInt8]
    ) -> [UInt8] {
        statement(digest: digest, isYes: isYes, by: publicKey, of: kind)
    }

    /// The kind of statement that answers the question.
    var kind: JointStatement { isGovernance ? .act : .request }

    /// Returns the bytes to sign as a statement of this kind.
    func statement(
        digest: [UInt8], isYes: Bool, by publicKey: [UInt8], of kind: JointStatement
    ) -> [UInt8] {
        JointAnswer.statement(
            digest: digest, policyHash: binding.policyHash, expires: binding.expires,
            totals: totals, isYes: isYes, by: publicKey, of: kind)
    }

    /// Returns the policy's name for a key; nil for a key that is not a member's.
    public func name(of publicKey: [UInt8]) -> String? {
        demands.lazy.flatMap(\.members).first { $0.key == publicKey }?.name
    }
}

/// The kind of statement that answers a question; a signature for one kind counts for no other.
public enum JointStatement: String, Hashable, Sendable {
    /// An answer to a request.
    case request = "v2 request"
    /// An answer to an act of the owner.
    case act = "v2 act"
    /// An answer to either, in the form of older programs; accepted only in existing records.
    case older = "v1"

    /// The bytes that every statement of the kind begins with.
    var prefix: [UInt8] { JointAnswer.prefix + Array("\(rawValue)\0".utf8) }
}

/// One person's signed answer to a question.
public struct JointAnswer: Hashable, Sendable {
    /// The bytes at the start of every signed answer; no other kind of message begins so.
    public static let prefix = Array("countersign approver answer ".utf8)

    /// The person's Ed25519 public key.
    public let publicKey: [UInt8]
    /// Yes or no.
    public let isYes: Bool
    /// The signature over the statement, 64 bytes.
    public let signature: [UInt8]

    /// Makes an answer without a check; `JointQuestion.refusal(of:by:)` checks an answer.
    public init(publicKey: [UInt8], isYes: Bool, signature: [UInt8]) {
        self.publicKey = publicKey
        self.isYes = isYes
        self.signature = signature
    }

    /// Returns the bytes to sign: the question's digest and the values that a receipt can show.
    public static func statement(
        digest: [UInt8], policyHash: [UInt8], expires: Timestamp, totals: [String], isYes: Bool,
        by publicKey: [UInt8], of kind: JointStatement
    ) -> [UInt8] {
        var writer = PartWriter(kind.prefix)
        writer.put(digest)
        writer.put(policyHash)
        writer.put(expires.seconds)
        writer.put(totals.map { Array($0.utf8) })
        writer.put(isYes ? 1 : 0)
        writer.put(publicKey)
        return writer.bytes
    }
}

/// Encodes parts so that two different lists have different bytes.
private struct PartWriter {
    private(set) var bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }

    init(_ name: [UInt8]) { bytes = name }

    mutating func put(_ number: Int64) {
        let pattern = UInt64(bitPattern: number)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: pattern >> UInt64(56 - 8 * $0)) }
    }

    mutating func put(_ part: [UInt8]) {
        put(Int64(part.count))
        bytes += part
    }

    mutating func put(_ parts: [[UInt8]]) {
        put(Int64(parts.count))
        for part in parts { put(part) }
    }
}
