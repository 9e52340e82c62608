// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A message in which the owner of an agent of NEAR Intents grants it something, or takes it back.
///
/// Such a message of NEAR Intents' Agent API is a JSON object with a `purpose`, or with the
/// `domain` of a form of the API. Its other members are published for the policy only, so each of
/// them is shown under its own name. A message with another purpose, or one inside of another
/// message, counts as a grant whose consequence is not known.
struct AgentConsent: Hashable {
    /// The purpose; the client's own text if the purpose is not known here.
    let purpose: String
    /// The consequence.
    let meaning: ConsentMeaning
    /// True if the purpose is one of the Agent API, in the place where the API reads it.
    let isKnown: Bool
    /// The members of the message besides the purpose.
    let members: JSON

    /// Reads a message; nil if no part of it has a purpose or a domain of the Agent API.
    init?(_ message: JSON) {
        var marks: [Mark] = []
        Self.collect(from: message, into: &marks)
        guard let first = marks.first else { return nil }
        let own = message.object.map { Self.marks(of: $0) } ?? []
        let known = first.purpose.flatMap { ConsentMeaning.known[$0] }
        if marks.count == 1, own == marks, let purpose = first.purpose, let known {
            (self.purpose, meaning, isKnown) = (purpose, known, true)
        } else {
            (purpose, meaning, isKnown) = (first.text, .unknown, false)
        }
        let others = message.object?.members.filter { $0.name != "purpose" }
        members = own.isEmpty ? message : .object(JSONObject(others ?? []))
    }

    /// A member that makes an object a message of the Agent API.
    private struct Mark: Hashable {
        let text: String
        /// The purpose that the text means; nil if this program does not know the text.
        let purpose: String?
    }

    private static let domain = "near-intents-agent-api."

    private static func marks(of object: JSONObject) -> [Mark] {
        var marks: [Mark] = []
        if let text = object["purpose"]?.text { marks.append(Mark(text: text, purpose: text)) }
        if let text = object["domain"]?.text, text.hasPrefix(domain) {
            let form = text.dropFirst(domain.count).prefix { $0 != "." }
            let action = object["action"]?.text.map { " \($0)" } ?? ""
            marks.append(
                Mark(text: text + action, purpose: ConsentMeaning.purposes["\(form)\(action)"]))
        }
        return marks
    }

    private static func collect(from json: JSON, into marks: inout [Mark]) {
        switch json {
        case .object(let object):
            marks += Self.marks(of: object)
            for member in object.members { collect(from: member.value, into: &marks) }
        case .array(let elements):
            for element in elements { collect(from: element, into: &marks) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// A value in the message and the names that lead to it.
    struct Leaf: Hashable {
        var path: [String]
        let values: [JSON]
    }

    /// Every value of the message; a list of plain values is one.
    var leaves: [Leaf] { Self.leaves(of: members) }

    private static func leaves(of json: JSON) -> [Leaf] {
        switch json {
        case .object(let object) where !object.members.isEmpty:
            return object.members.flatMap { under($0.name, $0.value) }
        case .array(let list) where list.contains(where: { $0.object != nil || $0.list != nil }):
            return list.enumerated().flatMap { under("\($0.offset + 1)", $0.element) }
        case .array(let list): return [Leaf(path: [], values: list)]
        default: return [Leaf(path: [], values: [json])]
        }
    }

    private static func under(_ name: String, _ json: JSON) -> [Leaf] {
        leaves(of: json).map { Leaf(path: [name] + $0.path, values: $0.values) }
    }
}
