// SPDX-License-Identifier: Apache-2.0
package import SigningCodecs
package import SigningCore
import SigningPolicy

/// The JSON Schema of a policy file of version 2, for editors and for checks in other tools.
///
/// Draft 7, as language servers for TOML read it. TOML tables, arrays, texts, integers and truth
/// values stand for those of JSON, and date-times for texts. A valid file may still have errors:
/// the schema does not say which protocol has which field.
package struct PolicyFileSchema {
    private let schemas: [FactSchema]

    package init(_ schemas: [FactSchema]) { self.schemas = schemas }

    package var json: JSON {
        let conditions = FileConditions(schemas)
        let definitions = conditions.definitions.merging(Self.definitions) { first, _ in first }
        return [
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Countersign policy file, version 2", "type": "object",
            "additionalProperties": false, "required": ["version", "default"],
            "properties": [
                "version": Self.described("The version of the format.", ["enum": [2]]),
                "default": Self.described(
                    "The answer to requests that no rule covers.", Self.names(["ask", "deny"])),
                "set": Self.described(
                    "Lists of values that rules name as @NAME.",
                    Self.named(
                        "^[a-z0-9_-]+$",
                        [
                            "type": "object",
                            "additionalProperties": ["type": "array", "items": Self.scalar],
                        ])),
                "approvers": Self.described(
                    "The public keys of people who approve.",
                    Self.named(
                        Self.namePattern,
                        ["type": "string", "pattern": "^ed25519:[0-9a-f]{64}$"])),
                "governance": Self.described(
                    "The approvers of the owner's own acts.", Self.governance),
                "asset": Self.described(
                    "Tokens whose amounts are written as decimals.",
                    Self.named("^[A-Za-z0-9._-]{1,32}$", Self.asset(schemas))),
                "budget": Self.described(
                    "Limits that rules share.",
                    Self.named(Self.namePattern, ["$ref": "#/definitions/budget"])),
                "rule": Self.described(
                    "What is allowed, asked about or denied.",
                    ["type": "array", "items": rule(conditions)]),
                "never": Self.described(
                    "Requests that must never be allowed without a question.",
                    ["type": "array", "items": assertion(conditions)]),
                "test": Self.described(
                    "Requests with the answers that the rules must give.",
                    ["type": "array", "items": Self.test]),
                "test_account": Self.described(
                    "The keys that the tests use.",
                    ["type": "array", "items": testAccount]),
            ],
            "definitions": Self.sorted(definitions),
        ]
    }

    private func rule(_ conditions: FileConditions) -> JSON {
        var members = conditions.properties
        members["unless"] = exception(conditions)
        members.merge(batch(conditions)) { _, own in own }
        let dangers = (Danger.common + schemas.flatMap(\.dangers)).map(\.name)
        members["acknowledge"] = Self.described(
            "The dangers that an allow rule covers.",
            ["type": "array", "items": Self.names(Set(dangers).sorted())])
        members.merge(Self.ruleMembers) { _, own in own }
        return [
            "type": "object", "additionalProperties": false, "required": ["id", "effect"],
            "properties": Self.sorted(members),
            "patternProperties": Self.sorted(conditions.families),
            "dependencies": ["hours": ["tz"], "days": ["tz"]],
            "allOf": [
                Self.exclusion(of: ["acknowledge", "limit", "delay"], unless: ["allow"]),
                Self.exclusion(of: ["budget"], unless: ["allow", "ask"]),
                Self.exclusion(of: ["approvers"], unless: ["ask"]),
            ],
        ]
    }

    private func batch(_ conditions: FileConditions) -> [String: JSON] {
        let table: JSON = [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": Self.sorted(conditions.properties),
            "patternProperties": Self.sorted(conditions.families),
        ]
        return [
            "all": Self.described("Conditions that all operations of the request meet.", table),
            "any": Self.described("Conditions that one of its operations meets.", table),
        ]
    }

    private func exception(_ conditions: FileConditions) -> JSON {
        var members = conditions.properties
        for key in ["hours", "days", "tz"] { members[key] = Self.ruleMembers[key] }
        return Self.described(
            "The rule does not apply if all conditions of this table hold, or of one of several.",
            Self.oneOrMore([
                "type": "object", "minProperties": 1, "additionalProperties": false,
                "properties": Self.sorted(members),
                "patternProperties": Self.sorted(conditions.families),
            ]))
    }

    private func assertion(_ conditions: FileConditions) -> JSON {
        var members = conditions.properties
        members["unless"] = exception(conditions)
        members.merge(batch(conditions)) { _, own in own }
        members["id"] = Self.described("The unique name of the assertion.", Self.name)
        members["because"] = Self.described("The reason, for people.", Self.text)
        for key in ["hours", "days", "tz"] { members[key] = Self.ruleMembers[key] }
        return [
            "type": "object", "additionalProperties": false, "required": ["id", "because"],
            "properties": Self.sorted(members),
            "patternProperties": Self.sorted(conditions.families),
            "dependencies": ["hours": ["tz"], "days": ["tz"]],
        ]
    }

    /// Demands that rules of other effects have none of these keys.
    private static func exclusion(of keys: [String], unless effects: [String]) -> JSON {
        [
            "anyOf": [
                ["properties": ["effect": names(effects)]],
                ["not": ["anyOf": .array(keys.map { ["required": [.string($0)]] })]],
            ]
        ]
    }

    private static let ruleMembers: [String: JSON] = [
        "id": described(
            "The unique name of the rule.", ["type": "string", "pattern": .string(namePattern)]),
        "effect": described(
            "The answer of the rule; deny wins over ask, and ask over allow.",
            names(["allow", "ask", "deny"])),
        "limit": described(
            "The rule does not apply once one of these limits is used up.",
            ["$ref": "#/definitions/limits"]),
        "delay": described(
            "A request waits so long, for example 1h, and a person can stop it meanwhile.", text),
        "budget": described("The budgets that the rule draws on.", oneOrMore(name)),
        "approvers": described(
            "The approvers who must sign a yes.", ["$ref": "#/definitions/approvers"]),
        "expires": described("The moment from which the rule never matches.", time),
        "hours": described(
            "The hours of the day at which the rule is in force.",
            oneOrMore([
                "type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]$",
            ])),
        "days": described(
            "The days at which the rule is in force.",
            [
                "type": "array", "minItems": 1,
                "items": names(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
            ]),
        "tz": described("The time zone of hours, days and calendar limits.", text),
    ]

    private static let test: JSON = [
        "type": "object", "additionalProperties": false,
        "required": ["name", "expect"],
        "properties": [
            "name": text,
            "request": described("The file with the request, relative to the policy.", text),
            "protocol": described("The protocol of a request without a file.", text),
            "operation": text, "key": text,
            "facts": described("Its values, by the names of fields.", ["type": "object"]),
            "dangers": described("Its dangers.", oneOrMore(text)),
            "outflow": described("The amount that leaves, such as 5 ALGO.", text),
            "at": described("The time of the request; the present if it is missing.", time),
            "expect": names(["allow", "ask", "deny"]),
            "delay": described("The delay that an allowed request must have.", text),
            "rule": described("The rule that must decide.", text),
            "client": text, "proof": names(Client.Proof.words.sorted()), "profile": text,
            "top_origin": text, "hub": text, "channel": text, "adapter": text,
            "new_client": ["type": "boolean"],
            "known": described(
                "The counterparties that the key has signed for before.", oneOrMore(text)),
            "known_for": described(
                "The time since then; longer than any rule demands if it is missing.",
                [
                    "anyOf": [
                        ["type": "integer", "minimum": 0],
                        ["type": "string", "pattern": "^[0-9]+[smhd]$"],
                    ]
                ]),
            "connected": described(
                "Whether the client is connected to each account.", ["type": "boolean"]),
            "repeated": described(
                "Whether the request was signed before.", ["type": "boolean"]),
            "repeat": described(
                "How often the request is judged; the last answer counts.",
                ["type": "integer", "minimum": 1]),
        ],
    ]

    private var testAccount: JSON {
        [
            "type": "object", "additionalProperties": false,
            "required": ["name", "protocol", "public_key"],
            "properties": [
                "name": Self.text,
                "protocol": Self.names(Set(schemas.map(\.protocolID.name)).sorted()),
                "public_key": ["type": "string", "pattern": "^([0-9a-f]{2})+$"],
                "account": Self.text, "tags": ["type": "array", "items": Self.text],
            ],
        ]
    }
}
