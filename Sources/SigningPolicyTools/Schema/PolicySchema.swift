// SPDX-License-Identifier: Apache-2.0
package import SigningCodecs
package import SigningCore
import SigningPolicy

/// The JSON Schema of a policy's canonical form (draft 2020-12), made from the vocabulary.
package struct PolicySchema {
    private let schemas: [FactSchema]

    package init(_ schemas: [FactSchema]) { self.schemas = schemas }

    package var json: JSON {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Countersign policy, canonical form", "type": "object",
            "additionalProperties": false, "required": ["version", "default", "sets", "rules"],
            "properties": [
                "version": ["enum": .array(PolicyDocument.versions.map { .string(String($0)) })],
                "default": ["enum": ["ask", "deny"]],
                "sets": [
                    "type": "object", "additionalProperties": false,
                    "patternProperties": ["^[a-z0-9_-]+$": Self.values],
                ],
                "approvers": [
                    "type": "object", "additionalProperties": false,
                    "patternProperties": ["^[a-z0-9-]{1,64}$": ["$ref": "#/$defs/approver_key"]],
                ],
                "governance": Self.governance,
                "assets": [
                    "type": "object", "additionalProperties": false, "minProperties": 1,
                    "patternProperties": ["^[A-Za-z0-9._-]{1,32}$": ["$ref": "#/$defs/asset"]],
                ],
                "budgets": [
                    "type": "object", "additionalProperties": false,
                    "patternProperties": ["^[a-z0-9-]{1,64}$": ["$ref": "#/$defs/budget"]],
                ],
                "rules": ["type": "array", "items": ["$ref": "#/$defs/rule"]],
                "never": [
                    "type": "array", "minItems": 1, "items": ["$ref": "#/$defs/assertion"],
                ],
            ],
            "$defs": Self.sorted(definitions),
        ]
    }

    private var definitions: [String: JSON] {
        var members: [String: JSON] = [
            "rule": rule, "conditions": conditions, "limit": Self.limit,
            "schedule": Self.schedule, "approvers": Self.approvers, "budget": Self.budget,
            "approver_key": Self.approverKey, "integer": Self.integer,
            "assertion": Self.assertion, "asset": Self.asset, "exceptions": Self.exceptions,
        ]
        let fields =
            EngineFact.allCases.map { ($0.field.type, $0.field.isList) }
            + schemas.flatMap(\.fields).map { ($0.type, $0.isList) }
        for (type, isList) in fields {
            members[Self.name(type, isList: isList)] = Self.matchers(type, isList: isList)
        }
        return members
    }

    private static func reference(_ type: FactType, isList: Bool) -> JSON {
        ["$ref": .string("#/$defs/" + name(type, isList: isList))]
    }

    /// The name of a type's condition; types whose conditions are alike share one name.
    private static func name(_ type: FactType, isList: Bool) -> String {
        let name =
            switch type {
            case .bool: "bool"
            case .integer, .amount, .time, .duration: "number"
            case .text: "text"
            case .account: "account"
            case .bytes: "bytes"
            }
        return name + (isList ? "_list" : "")
    }

    private var rule: JSON {
        let dangers = Danger.common + schemas.flatMap(\.dangers)
        return [
            "type": "object", "additionalProperties": false,
            "required": ["id", "effect", "conditions"],
            "properties": [
                "id": ["type": "string", "pattern": "^[a-z0-9-]{1,64}$"],
                "effect": ["enum": ["allow", "ask", "deny"]],
                "conditions": ["$ref": "#/$defs/conditions"],
                "all": ["$ref": "#/$defs/conditions"], "any": ["$ref": "#/$defs/conditions"],
                "unless": ["$ref": "#/$defs/exceptions"],
                "acknowledge": [
                    "type": "array", "items": Self.names(Set(dangers.map(\.name))),
                ],
                "limits": ["type": "array", "items": ["$ref": "#/$defs/limit"]],
                "on_exceed": ["enum": ["ask", "deny"]], "expires": Self.integerReference,
                "delay": Self.integerReference,
                "budgets": [
                    "type": "array", "minItems": 1, "uniqueItems": true, "items": Self.budgetName,
                ],
                "schedule": ["$ref": "#/$defs/schedule"],
                "approvers": ["$ref": "#/$defs/approvers"],
            ],
        ]
    }

    private static let assertion: JSON = [
        "type": "object", "additionalProperties": false,
        "required": ["id", "because", "conditions"],
        "properties": [
            "id": budgetName, "because": ["type": "string", "minLength": 1],
            "conditions": ["$ref": "#/$defs/conditions"],
            "all": ["$ref": "#/$defs/conditions"], "any": ["$ref": "#/$defs/conditions"],
            "unless": ["$ref": "#/$defs/exceptions"], "schedule": ["$ref": "#/$defs/schedule"],
        ],
    ]

    /// One table of conditions, or several with their hours and days.
    private static let exceptions: JSON = [
        "anyOf": [
            ["$ref": "#/$defs/conditions"],
            [
                "type": "array", "minItems": 1, "uniqueItems": true,
                "items": [
                    "type": "object", "additionalProperties": false, "required": ["conditions"],
                    "properties": [
                        "conditions": ["$ref": "#/$defs/conditions"],
                        "schedule": ["$ref": "#/$defs/schedule"],
                    ],
                ],
            ],
        ]
    ]

    /// A matcher object for every field that a rule may name.
    private var conditions: JSON {
        var plain: [String: JSON] = [:]
        var families: [String: JSON] = [:]
        for fact in EngineFact.allCases {
            plain[fact.rawValue] = Self.reference(fact.field.type, isList: fact.field.isList)
        }
        let amount = FactType.amount(AmountUnit(symbol: "", decimals: 0, smallest: ""))
        families["^request\\.total\\..+$"] = Self.reference(amount, isList: false)
        for field in schemas.flatMap(\.fields) {
            let matchers = Self.reference(field.type, isList: field.isList)
            if field.name.hasSuffix(".*") {
                families["^\(field.name.dropLast(2))\\..+$"] = matchers
            } else if plain[field.name] == nil {
                plain[field.name] = matchers
            }
            if field.isCounterparty {
                plain[FirstUseField.prefix + field.name] = Self.reference(.duration, isList: false)
            }
        }
        return [
            "type": "object", "additionalProperties": false, "properties": Self.sorted(plain),
            "patternProperties": Self.sorted(families),
        ]
    }

    private static func matchers(_ type: FactType, isList: Bool) -> JSON {
        var members: [String: JSON] = [
            "in": values, "not_in": values, "exists": ["type": "boolean"],
        ]
        switch type {
        case .integer, .amount, .time, .duration:
            members["min"] = integerReference
            members["max"] = integerReference
        case .text, .account, .bytes:
            for name in ["prefix", "suffix"] { members[name] = texts }
            if type != .bytes { for name in ["glob", "regex"] { members[name] = texts } }
            if type == .text { members["has"] = values }
        case .bool: break
        }
        if isList {
            members["has"] = values
            members["count"] = [
                "type": "object", "additionalProperties": false, "required": ["min", "max"],
                "properties": ["min": integerReference, "max": integerReference],
            ]
        }
        return [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": sorted(members),
        ]
    }

    private static let values: JSON = [
        "type": "array", "uniqueItems": true, "items": ["type": ["string", "boolean"]],
    ]
    private static let texts: JSON = [
        "type": "array", "minItems": 1, "uniqueItems": true, "items": ["type": "string"],
    ]
    private static let integer: JSON = ["type": "string", "pattern": "^-?(0|[1-9][0-9]*)$"]
    private static let integerReference: JSON = ["$ref": "#/$defs/integer"]

    private static let limit: JSON = [
        "type": "object", "additionalProperties": false, "required": ["maximum"],
        "properties": [
            "maximum": [
                "anyOf": [
                    integerReference,
                    [
                        "type": "object", "minProperties": 1,
                        "additionalProperties": integerReference,
                    ],
                ]
            ], "of": ["type": "string"], "unit": ["type": "string"],
            "by": ["type": "array", "items": ["type": "string"]],
            "per": [
                "anyOf": [
                    integerReference, names(Set(CalendarUnit.allCases.map(\.rawValue))),
                ]
            ], "tz": ["type": "string"],
        ],
    ]
    private static let asset: JSON = [
        "type": "object", "additionalProperties": false,
        "required": ["protocol", "network", "asset", "decimals"],
        "properties": [
            "protocol": ["type": "string"], "network": ["type": "string"],
            "asset": ["type": "string"], "decimals": integerReference,
        ],
    ]
    private static let budgetName: JSON = ["type": "string", "pattern": "^[a-z0-9-]{1,64}$"]
    private static let budget: JSON = [
        "type": "object", "additionalProperties": false, "required": ["limits"],
        "properties": [
            "limits": ["type": "array", "minItems": 1, "items": ["$ref": "#/$defs/limit"]],
            "final": ["const": true],
            "escalate": ["anyOf": [["const": true], ["$ref": "#/$defs/approvers"]]],
            "unit": ["type": "string", "pattern": "^[A-Z0-9]{1,12}$"],
            "rate": [
                "type": "object", "minProperties": 1,
                "additionalProperties": ["type": "string", "pattern": "^[0-9]+([.][0-9]+)?$"],
            ],
        ],
    ]
    private static let schedule: JSON = [
        "type": "object", "additionalProperties": false, "required": ["hours", "days", "tz"],
        "properties": [
            "hours": [
                "type": "array",
                "items": ["type": "string", "pattern": "^[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}$"],
            ],
            "days": [
                "type": "array", "items": names(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
            ], "tz": ["type": "string"],
        ],
    ]

    private static let approverKey: JSON = [
        "type": "string", "pattern": "^ed25519:[0-9a-f]{64}$",
    ]
    private static let approvers: JSON = [
        "type": "object", "additionalProperties": false,
        "required": ["min", "of", "submitter_may_approve", "within"],
        "properties": [
            "min": integerReference,
            "of": [
                "type": "array", "minItems": 1, "uniqueItems": true,
                "items": ["$ref": "#/$defs/approver_key"],
            ], "within": integerReference, "submitter_may_approve": ["type": "boolean"],
        ],
    ]

    private static let governance: JSON = [
        "type": "object", "additionalProperties": false, "minProperties": 1,
        "properties": sorted(
            Dictionary(
                uniqueKeysWithValues: Governance.Act.allCases.map {
                    ($0.rawValue, ["$ref": "#/$defs/approvers"])
                })),
    ]

    private static func names(_ names: Set<String>) -> JSON {
        ["enum": .array(names.sorted().map { .string($0) })]
    }

    private static func sorted(_ members: [String: JSON]) -> JSON {
        .object(
            JSONObject(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { .init(name: $0.key, value: $0.value) }))
    }
}
