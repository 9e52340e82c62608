// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore
import SigningPolicy

extension PolicyFileSchema {
    static let namePattern = "^[a-z0-9-]{1,64}$"
    static let text: JSON = ["type": "string", "minLength": 1]
    static let name: JSON = ["type": "string", "pattern": .string(namePattern)]
    static let scalar: JSON = ["type": ["string", "integer", "boolean"]]
    static let time: JSON = [
        "type": "string",
        "pattern":
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}.*([Zz]|[+-][0-9]{2}:[0-9]{2})$",
    ]

    static let definitions: [String: JSON] = [
        "limits": ["type": "array", "minItems": 1, "maxItems": 16, "items": limit],
        "budget": budget, "approvers": approvers,
    ]

    private static let by = described(
        "Each combination of the values of these fields has a separate count.",
        ["type": "array", "minItems": 1, "maxItems": 4, "uniqueItems": true, "items": text])
    private static let per = described(
        "A duration such as 1h, or a calendar unit.",
        [
            "anyOf": [
                names(CalendarUnit.allCases.map(\.rawValue)),
                ["type": "string", "pattern": "^[1-9][0-9]*[smhd]$"],
            ]
        ])
    private static let count: JSON = ["type": "integer", "minimum": 1]
    private static let amount: JSON = ["anyOf": [count, ["type": "string", "pattern": "^[0-9]"]]]
    private static let amounts: JSON = described(
        "A maximum for each value of the one field in by.",
        [
            "type": "object", "minProperties": 1,
            "maxProperties": 10_000, "additionalProperties": amount,
        ])
    private static let limit: JSON = [
        "anyOf": [
            object(["count": count, "per": per, "tz": text, "by": by], ["count", "per"]),
            object(
                [
                    "amount": ["anyOf": [amount, amounts]],
                    "of": described("The field whose values are added up.", text),
                    "per": per, "tz": text, "by": by,
                ], ["amount", "of", "per"]),
            object(["uses": count, "by": by], ["uses"]),
        ]
    ]

    static func asset(_ schemas: [FactSchema]) -> JSON {
        let protocols = schemas.filter { $0.fields.contains { $0.asset != nil } }
        return object(
            [
                "protocol": names(Set(protocols.map(\.protocolID.name)).sorted()),
                "network": text, "contract": described("The contract of a token of near.", text),
                "id": described(
                    "The id of an asset of algorand.", ["type": "integer", "minimum": 1]),
                "decimals": described(
                    "The number of decimals, as the owner knows it.",
                    ["type": "integer", "minimum": 0, "maximum": 38]),
            ], ["protocol", "network", "decimals"])
    }

    private static let budget: JSON = {
        let flag: JSON = ["type": "boolean"]
        return object(
            [
                "limit": ["$ref": "#/definitions/limits"], "by": by, "tz": text,
                "final": described("Used up, it denies even if other rules allow.", flag),
                "escalate": described(
                    "Used up, a person or these approvers are asked.",
                    [
                        "anyOf": [
                            flag,
                            object(
                                ["approvers": ["$ref": "#/definitions/approvers"]], ["approvers"]),
                        ]
                    ]),
                "unit": described(
                    "The common unit of amounts.",
                    ["type": "string", "pattern": "^[A-Z0-9]{1,12}$"]),
                "rate": described(
                    "The price of each coin, and of tokens such as USDC@near with a table "
                        + "[asset.USDC], in the common unit.",
                    [
                        "type": "object", "minProperties": 1,
                        "propertyNames": ["pattern": "^[A-Za-z0-9._-]+(@[a-z0-9]+)?$"],
                        "additionalProperties": [
                            "type": "string", "pattern": "^[0-9]+([.][0-9]+)?$",
                        ],
                    ]),
            ], ["limit"])
    }()

    private static let approvers = object(
        [
            "min": described("The number of approvers who must sign.", count),
            "of": described("The approvers, or sets of them.", oneOrMore(text)),
            "within": described(
                "The time to answer, such as 1d.",
                ["type": "string", "pattern": "^[1-9][0-9]*[smhd]$"]),
            "submitter_may_approve": ["type": "boolean"],
        ], ["min", "of"])

    static let governance = object(
        Dictionary(
            uniqueKeysWithValues: Governance.Act.allCases.map {
                ($0.rawValue, ["$ref": "#/definitions/approvers"])
            }))

    /// An object with these members and no others.
    private static func object(_ members: [String: JSON], _ required: [String] = []) -> JSON {
        [
            "type": "object", "additionalProperties": false,
            "required": .array(required.map { .string($0) }), "properties": sorted(members),
        ]
    }

    /// An object whose members have names of a pattern.
    static func named(_ pattern: String, _ member: JSON) -> JSON {
        [
            "type": "object", "additionalProperties": false,
            "patternProperties": .object(JSONObject([.init(name: pattern, value: member)])),
        ]
    }

    /// A schema with a description; `allOf` holds a reference, beside which draft 7 allows none.
    static func described(_ description: String, _ schema: JSON) -> JSON {
        let members = schema.object?.members ?? []
        let inner: JSON = members.contains { $0.name == "$ref" } ? ["allOf": [schema]] : schema
        return .object(
            JSONObject(
                [.init(name: "description", value: .string(description))]
                    + (inner.object?.members ?? [])))
    }

    /// One value, or a list of them.
    static func oneOrMore(_ value: JSON) -> JSON {
        ["anyOf": [value, ["type": "array", "minItems": 1, "items": value]]]
    }

    static func names(_ names: [String]) -> JSON {
        ["enum": .array(names.map { .string($0) })]
    }

    static func sorted(_ members: [String: JSON]) -> JSON {
        .object(
            JSONObject(
                members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { .init(name: $0.key, value: $0.value) }))
    }
}
