// SPDX-License-Identifier: Apache-2.0

/// One field that a rule may name.
public struct FactField: Hashable, Sendable {
    /// The field's name; a trailing `.*` declares a family such as `tag.*`.
    public let name: String
    /// The type of its values.
    public let type: FactType
    /// True if the value is a list.
    public let isList: Bool
    /// The permitted difference of the value in requests that a remembered yes answers.
    public let varies: Variation
    /// True if a remembered no applies only to requests with the same value of this field.
    ///
    /// Few fields have this, so that a client cannot avoid a no by changing a value.
    public let boundsRefusals: Bool
    /// True if a granted wish applies only to requests with the same value; so does a no then.
    public let boundsWishes: Bool
    /// True if the value is payload of the client, which is not recorded.
    public let isPayload: Bool
    /// The form to which values in rules are converted; nil if any value of the type is valid.
    public private(set) var form: FactForm?
    /// The methods whose requests may have the field; nil for all methods.
    public private(set) var methods: [String]?
    /// The fields that identify the asset of a token amount; nil for other fields.
    public private(set) var asset: AssetFields?
    /// True if the values are other parties, whose first uses rules can name.
    public private(set) var isCounterparty = false
    /// One sentence for people who write rules.
    public let note: String

    /// The permitted difference between values of later requests and the values that a person
    /// allowed.
    public enum Variation: Hashable, Sendable {
        /// The value must be the same; if the field was missing, it must be missing again.
        case fixed
        /// The value, a single integer or amount, may be lower than the one that was shown.
        case upTo
        /// Any value, as the field does not affect who owns, controls or receives anything.
        case free
    }

    /// Declares a field.
    public init(
        _ name: String, _ type: FactType, isList: Bool = false, varies: Variation = .fixed,
        boundsRefusals: Bool = false, boundsWishes: Bool = false, isPayload: Bool = false,
        note: String
    ) {
        self.name = name
        self.type = type
        self.isList = isList
        self.varies = varies
        self.boundsRefusals = boundsRefusals || boundsWishes
        self.boundsWishes = boundsWishes
        self.isPayload = isPayload
        self.note = note
    }
}

extension FactField {
    /// Returns the field, restricted to requests of these methods.
    public func of(_ methods: [String]) -> FactField {
        var copy = self
        copy.methods = methods
        return copy
    }

    /// Returns the field, an integer, as an amount of the asset that other fields identify.
    public func inUnits(of asset: AssetFields) -> FactField {
        var copy = self
        copy.asset = asset
        return copy
    }

    /// Returns the field of text as one whose values are other parties.
    public func ofCounterparties() -> FactField {
        var copy = self
        copy.isCounterparty = true
        return copy
    }

    /// Returns the field with a form for its values.
    func with(_ form: FactForm) -> FactField {
        var copy = self
        copy.form = form
        return copy
    }
}

/// The fields of a request that identify the asset of a token amount.
public struct AssetFields: Hashable, Sendable {
    /// The field with the network.
    public static let network = "network"

    /// The word before the identity in the ids of assets, such as `token` in
    /// `near/mainnet/token/usdt.tether-token.near`.
    public let kind: String
    /// The field with the id of the asset, or with the contract that keeps it.
    public let identity: String
    /// The list field with the ids of tokens that a contract keeps apart; nil if there are none.
    ///
    /// Requests that move only the contract's fungible token do not have the field.
    public let parts: String?
    /// The calls that move only fungible tokens, by the list field that names a request's calls.
    public let fungible: [String: [String]]

    /// Declares the fields.
    public init(
        kind: String, identity: String, parts: String? = nil, fungible: [String: [String]] = [:]
    ) {
        self.kind = kind
        self.identity = identity
        self.parts = parts
        self.fungible = fungible
    }
}

/// The methods, fields and dangers of an adapter, which policy files can name.
///
/// Copying a schema copies one reference, as every request contains one.
public struct FactSchema: Sendable {
    private let words: Words

    /// Declares a schema; `endings` are the methods that end a client's connection, and `keyless`
    /// others whose requests have no operations.
    public init(
        protocolID: ProtocolID, methods: [String], fields: [FactField], dangers: [Danger],
        alwaysAsked: [Danger] = [], endings: [String] = [], keyless: [String] = []
    ) {
        words = Words(
            protocolID: protocolID, methods: methods, fields: fields, dangers: dangers,
            alwaysAsked: alwaysAsked, endings: endings, keyless: keyless)
    }

    /// The protocol that rules name.
    public var protocolID: ProtocolID { words.protocolID }
    /// All methods that the adapter decodes.
    public var methods: [String] { words.methods }
    /// All fields of facts that the adapter may produce.
    public var fields: [FactField] { words.fields }
    /// All dangers that the adapter may report, besides the common ones.
    public var dangers: [Danger] { words.dangers }
    /// The dangers about which a person is asked each time.
    ///
    /// No remembered yes and no granted wish covers a request with such a danger.
    public var alwaysAsked: [Danger] { words.alwaysAsked }
    /// The methods whose requests only end the client's connection; see `RequestTerms`.
    public var endings: [String] { words.endings }
    /// The methods whose requests have no operations, `endings` included.
    public var keyless: [String] { words.endings + words.keyless }
    /// The names of the fields with `boundsWishes`, sorted; if empty, requests have no wishes.
    var wishNames: [String] { words.wishNames }

    /// True if both schemas are copies of the same one.
    package func isSame(as other: FactSchema) -> Bool { words === other.words }

    /// Returns the schema with more fields, and with forms for the fields with these names.
    public func with(
        _ forms: [String: FactForm], adding more: [FactField] = []
    ) -> FactSchema {
        FactSchema(
            protocolID: protocolID, methods: methods,
            fields: (fields + more).map { field in
                forms[field.name].map { field.with($0) } ?? field
            }, dangers: dangers, alwaysAsked: alwaysAsked, endings: endings,
            keyless: words.keyless)
    }

    /// Returns the declaration that covers a field name; a family covers every name with its
    /// prefix.
    public func field(named name: String) -> FactField? {
        words.place(of: name).map { words.fields[$0] }
    }

    /// Returns whether facts of this name may be recorded: the name is declared, and not that of
    /// payload.
    func keeps(_ name: String) -> Bool {
        words.place(of: name).map { !words.fields[$0].isPayload } ?? false
    }

    /// Returns whether the field of this name has `boundsRefusals`.
    func boundsRefusals(_ name: String) -> Bool { words.boundsRefusals(name) }
}

extension FactSchema {
    /// The content of a schema with tables for fast lookup.
    private final class Words: Sendable {
        let protocolID: ProtocolID
        let methods: [String]
        let fields: [FactField]
        let dangers: [Danger]
        let alwaysAsked: [Danger]
        let endings: [String]
        let keyless: [String]
        let wishNames: [String]
        /// The names of the fields with `boundsRefusals`, indexed by length in bytes up to 63.
        ///
        /// Most names have different lengths.
        private let refusalNames: [[String]]
        /// The fields that are not families, indexed by length.
        private let places: [[(name: String, place: Int)]]
        /// The families by prefix, such as `tag.`.
        private let families: [(prefix: String, place: Int)]

        init(
            protocolID: ProtocolID, methods: [String], fields: [FactField], dangers: [Danger],
            alwaysAsked: [Danger], endings: [String], keyless: [String]
        ) {
            self.protocolID = protocolID
            self.methods = methods
            self.fields = fields
            self.dangers = dangers
            self.alwaysAsked = alwaysAsked
            self.endings = endings
            self.keyless = keyless
            wishNames = fields.filter(\.boundsWishes).map(\.name).sorted()
            var refusalNames = [[String]](repeating: [], count: Self.lengthMax + 1)
            for field in fields where field.boundsRefusals {
                refusalNames[Self.length(of: field.name)].append(field.name)
            }
            self.refusalNames = refusalNames
            var places = [[(name: String, place: Int)]](repeating: [], count: Self.lengthMax + 1)
            var families: [(prefix: String, place: Int)] = []
            for (place, field) in fields.enumerated() {
                if field.name.hasSuffix(".*") {
                    families.append((String(field.name.dropLast()), place))
                } else {
                    places[Self.length(of: field.name)].append((field.name, place))
                }
            }
            self.places = places
            self.families = families
        }

        func boundsRefusals(_ name: String) -> Bool {
            let names = refusalNames[Self.length(of: name)]
            return !names.isEmpty && names.contains(name)
        }

        func place(of name: String) -> Int? {
            if let known = places[Self.length(of: name)].first(where: { $0.name == name }) {
                return known.place
            }
            return families.first {
                name.hasPrefix($0.prefix) && name.utf8.count > $0.prefix.utf8.count
            }?.place
        }

        private static let lengthMax = 63
        private static func length(of name: String) -> Int { min(name.utf8.count, lengthMax) }
    }
}
