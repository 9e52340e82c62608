// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// The text form of questions to several approvers and of their answers, for the ledger and for
/// files.
package enum JointRecord {
    /// The longest file that is read, in bytes.
    package static let bytesMax = 4 * JointQuestion.textBytesMax
    private static let questionKind = "countersign question v1"
    private static let answerKind = "countersign approver answer v1"

    /// A question as one JSON object, members sorted.
    package static func body(_ question: JointQuestion) -> String {
        let binding = question.binding
        let members: [String: JSON] = [
            "kind": .string(questionKind), "nonce": hex(binding.nonce),
            "request": hex(binding.requestDigest), "policy": hex(binding.policyHash),
            "keys": .array(binding.keys.map { .string($0.text) }),
            "expires": .integer(binding.expires.seconds), "text": .string(question.text),
            "totals": .array(question.totals.map { .string($0) }),
            "own_keys": .array(question.ownKeys.map(hex)),
            "demands": .array(question.demands.map(json)),
        ]
        return String(decoding: JSON.sorted(members).write(), as: UTF8.self)
    }

    /// Parses a question; nil if the text is malformed, or no hub can have written it.
    package static func question(_ bytes: [UInt8]) -> JointQuestion? {
        let text = withoutLineEnd(bytes)
        guard let json = parse(text), json["kind"]?.text == questionKind,
            let nonce = json["nonce"].flatMap(bytes(of:)),
            let request = json["request"].flatMap(bytes(of:)),
            let policy = json["policy"].flatMap(bytes(of:)),
            let keys = all(json["keys"], { $0.text }),
            let expires = json["expires"]?.integerValue, let words = json["text"]?.text,
            let totals = all(json["totals"], { $0.text }),
            let own = all(json["own_keys"], bytes(of:)),
            let demands = all(json["demands"], demand)
        else { return nil }
        let question = JointQuestion(
            binding: ApprovalBinding(
                nonce: nonce, requestDigest: request, policyHash: policy,
                keys: keys.map { KeyID($0) }, expires: Timestamp(seconds: expires)),
            text: words, totals: totals, demands: demands, ownKeys: own)
        // Accepts only the canonical form, so that every byte is covered by the digest.
        return question.isPossible && body(question).utf8.elementsEqual(text) ? question : nil
    }

    /// An answer to a question as one JSON object, members sorted.
    package static func body(_ answer: JointAnswer, to digest: [UInt8]) -> String {
        let members: [String: JSON] = [
            "kind": .string(answerKind), "question": hex(digest),
            "key": hex(answer.publicKey), "answer": .string(answer.isYes ? "yes" : "no"),
            "signature": hex(answer.signature),
        ]
        return String(decoding: JSON.sorted(members).write(), as: UTF8.self)
    }

    /// Parses an answer and the digest of its question; nil if the text is malformed.
    package static func answer(_ bytes: [UInt8]) -> (digest: [UInt8], answer: JointAnswer)? {
        let text = withoutLineEnd(bytes)
        guard let json = parse(text), json["kind"]?.text == answerKind,
            let digest = json["question"].flatMap(bytes(of:)),
            let key = json["key"].flatMap(bytes(of:)),
            let word = json["answer"]?.text, word == "yes" || word == "no",
            let signature = json["signature"].flatMap(bytes(of:))
        else { return nil }
        let answer = JointAnswer(publicKey: key, isYes: word == "yes", signature: signature)
        guard digest.count == JointLimits.digestCount, answer.isPossible else { return nil }
        return body(answer, to: digest).utf8.elementsEqual(text) ? (digest, answer) : nil
    }

    /// The SHA-256 of a question's canonical form, by which answers name it.
    package static func digest(of question: JointQuestion) -> [UInt8] {
        Digest.sha256(question.bytes.span)
    }

    /// A demand as JSON.
    package static func json(_ demand: ApproverDemand) -> JSON {
        .sorted([
            "rule": .string(demand.rule), "min": .integer(Int64(demand.minimum)),
            "within": .integer(demand.seconds),
            "submitter_may_approve": .bool(demand.submitterMayApprove),
            "of": .array(
                demand.members.map { .sorted(["name": .string($0.name), "key": hex($0.key)]) }),
        ])
    }

    /// Parses a demand; nil if no policy can contain it.
    package static func demand(_ json: JSON) -> ApproverDemand? {
        guard let rule = json["rule"]?.text, let minimum = json["min"]?.integerValue,
            let seconds = json["within"]?.integerValue,
            let mayApprove = json["submitter_may_approve"]?.flag,
            let members = all(
                json["of"],
                { member -> ApproverDemand.Member? in
                    guard let name = member["name"]?.text,
                        let key = member["key"].flatMap(bytes(of:))
                    else { return nil }
                    return ApproverDemand.Member(name: name, key: key)
                })
        else { return nil }
        let demand = ApproverDemand(
            rule: rule, minimum: Int(clamping: minimum), members: members, seconds: seconds,
            submitterMayApprove: mayApprove)
        return demand.isPossible ? demand : nil
    }

    private static func parse(_ text: [UInt8]) -> JSON? {
        try? JSON.parse(text.span, limits: JSONLimits(bytesMax: bytesMax))
    }

    /// The bytes without a line feed at their end.
    private static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
    }

    private static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes.span)) }

    private static func bytes(of json: JSON) -> [UInt8]? {
        json.text.flatMap { try? Hex.decode($0) }
    }

    private static func all<Value>(_ json: JSON?, _ read: (JSON) -> Value?) -> [Value]? {
        guard let list = json?.list else { return nil }
        let values = list.compactMap(read)
        return values.count == list.count ? values : nil
    }
}
