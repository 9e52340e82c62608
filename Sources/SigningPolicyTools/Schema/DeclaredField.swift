// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore
import SigningPolicy

/// A field as an adapter or the engine declares it, for the schema of policy files.
struct DeclaredField {
    let type: FactType
    let isList: Bool
    /// The closed list of its values, with a name; nil if any value of the type is possible.
    var closed: (name: String, values: [String])?
    var isAlwaysThere = false
    /// True if the field holds amounts of tokens, which may be written with a unit.
    var isOfTokens = false
    /// True if a plain value is searched for in the text.
    var isSearched = false
    /// True for the time since a first use, which takes bounds only.
    var isFirstUse = false

    init(_ type: FactType, isList: Bool) {
        self.type = type
        self.isList = isList
    }

    /// The name of the type of its conditions.
    var key: String {
        valueKey + (isList ? ".list" : "") + (isSearched ? ".searched" : "")
            + (isAlwaysThere ? ".always" : "") + (isFirstUse ? ".first" : "")
    }

    /// The name of the type of its values.
    var valueKey: String {
        if let closed { return closed.name }
        return switch type {
        case .bool: "bool"
        case .integer: isOfTokens ? "tokens" : "integer"
        case .amount(let unit): isOfTokens ? "amount" : unit.symbol
        case .text, .account: "text"
        case .bytes: "bytes"
        case .time: "time"
        case .duration: "duration"
        }
    }

    /// The conditions on the field: a value, values, or a table of matchers.
    var conditions: JSON {
        let table: JSON = [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": PolicyFileSchema.sorted(matchers),
        ]
        return ["anyOf": .array(plain + [table])]
    }

    /// A plain value or a list of values; empty for a field with several values.
    var plain: [JSON] { isList || isFirstUse ? [] : [isSearched ? parts : values] }

    /// One value, which may be a set.
    var value: JSON {
        let set: JSON = ["type": "string", "pattern": "^@[a-z0-9_-]+$"]
        return ["anyOf": .array(literals + [set])]
    }

    private var literals: [JSON] {
        if let closed { return [PolicyFileSchema.names(closed.values)] }
        return switch type {
        case .bool: [["type": "boolean"]]
        case .integer:
            [["type": "integer"], Self.text("^-?[0-9]+$")]
                + (isOfTokens ? [Self.text("^[0-9]+([.][0-9]+)? [A-Za-z0-9._-]+$")] : [])
        case .amount where isOfTokens:
            [Self.text("^[0-9]+([.][0-9]+)? [A-Za-z0-9._-]+$")]
        case .amount(let unit):
            [Self.text("^[0-9]+([.][0-9]+)? (\(unit.symbol)|\(unit.smallest))$")]
        case .text, .account: [["type": "string"]]
        case .bytes: [Self.text("^([0-9A-Fa-f]{2})*$")]
        case .time: [PolicyFileSchema.time]
        case .duration: [["type": "integer"], Self.text("^-?[0-9]+[smhd]$")]
        }
    }

    private static func text(_ pattern: String) -> JSON {
        ["type": "string", "pattern": .string(pattern)]
    }

    private var values: JSON {
        PolicyFileSchema.oneOrMore(["$ref": .string("#/definitions/value.\(valueKey)")])
    }

    /// The matchers that fit the type.
    var matchers: [String: JSON] {
        var members: [String: JSON] = [:]
        if isFirstUse {
            let bound: JSON = [
                "anyOf": [["type": "integer", "minimum": 0], Self.text("^[0-9]+[smhd]$")]
            ]
            return ["min": bound, "max": bound]
        }
        if !isSearched { for name in ["in", "not_in"] { members[name] = values } }
        if !isAlwaysThere { members["exists"] = ["type": "boolean"] }
        switch type {
        case .integer, .amount, .time, .duration:
            for name in ["min", "max"] { members[name] = ["anyOf": .array(literals)] }
        case .text, .account, .bytes:
            if closed == nil {
                let patterns = type == .bytes ? [] : ["glob", "regex"]
                for name in ["prefix", "suffix"] + patterns { members[name] = parts }
                if type == .text { members["has"] = parts }
            }
        case .bool: break
        }
        guard isList else { return members }
        members["has"] = values
        let bound: JSON = ["type": "integer", "minimum": 0, "maximum": 1_000_000]
        members["count"] = [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": ["min": bound, "max": bound],
        ]
        return members
    }

    private var parts: JSON { PolicyFileSchema.oneOrMore(PolicyFileSchema.text) }
}

extension EngineFact {
    /// The field in one sentence, for people who write rules.
    var note: String {
        switch self {
        case .protocolID: "The protocols whose requests the rule is about."
        case .operation: "The method as its protocol names it."
        case .key: "The name of the key that would be used."
        case .keyTags: "The tags of the key that would be used."
        case .client: "The program or page that asks."
        case .clientParty: "The party that can make any number of such clients."
        case .clientProof: "The proof of the client's name."
        case .clientCallback: "The origin or scheme to which the reply goes."
        case .clientProfile: "The name of the browser's token."
        case .clientTopOrigin: "The origin of the page around the page that asks."
        case .clientName: "The client's name for itself."
        case .processUID: "The user id of the program that asks."
        case .processExecutable: "The path of the program that asks."
        case .processUnit: "The systemd unit of the program that asks."
        case .processHash: "SHA-256 of the program's file."
        case .processParents: "The programs that started it, nearest first."
        case .channel: "The transport: cli, socket, relay or web."
        case .effects: "The effects of the request."
        case .danger: "The dangers of the request."
        case .decoded: "How much of the request was understood."
        case .size: "The size of the request in bytes."
        case .requestOperations: "The number of operations of the request, judged one by one."
        case .time: "The time of the request."
        case .hub: "The name of the hub that judges."
        }
    }
}
