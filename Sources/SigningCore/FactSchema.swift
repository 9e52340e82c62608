// SPDX-License-Identifier: Apache-2.0

/// One field a rule may name.
public struct FactField: Hashable, Sendable {
    /// The field's name; a trailing `.*` declares a family such as `tag.*`.
    public let name: String
    /// What its values are.
    public let type: FactType
    /// Whether it holds several values.
    public let isList: Bool
    /// Whether an answer that a person remembers counts only for the same value.
    public let boundsGrants: Bool
    /// Whether its values are the client's payload, which is not kept on record.
    public let isPayload: Bool
    /// One sentence for people who write rules.
    public let note: String

    /// Declares a field.
    public init(
        _ name: String, _ type: FactType, isList: Bool = false, boundsGrants: Bool = false,
        isPayload: Bool = false, note: String
    ) {
        self.name = name
        self.type = type
        self.isList = isList
        self.boundsGrants = boundsGrants
        self.isPayload = isPayload
        self.note = note
    }
}

/// The vocabulary one adapter offers to policy files.
public struct FactSchema: Sendable {
    /// The protocol rules name.
    public let protocolID: ProtocolID
    /// Every method the adapter decodes.
    public let operations: [String]
    /// Every fact it may raise.
    public let fields: [FactField]
    /// Every danger it may raise, without those that any adapter may raise.
    public let dangers: [Danger]

    /// Declares a vocabulary.
    public init(
        protocolID: ProtocolID, operations: [String], fields: [FactField], dangers: [Danger]
    ) {
        self.protocolID = protocolID
        self.operations = operations
        self.fields = fields
        self.dangers = dangers
    }

    /// The declaration that covers a field name; families cover every name they begin.
    public func field(named name: String) -> FactField? {
        fields.first { field in
            guard field.name.hasSuffix(".*") else { return field.name == name }
            return name.hasPrefix(field.name.dropLast()) && name.utf8.count >= field.name.utf8.count
        }
    }
}
