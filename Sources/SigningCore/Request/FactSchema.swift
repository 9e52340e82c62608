// SPDX-License-Identifier: Apache-2.0

/// One field that a rule may name.
public struct FactField: Hashable, Sendable {
    /// The field's name; a trailing `.*` declares a family such as `tag.*`.
    public let name: String
    /// The type of its values.
    public let type: FactType
    /// True if it holds several values.
    public let isList: Bool
    /// The variation that a remembered yes permits.
    public let varies: Variation
    /// True if a remembered no counts only for the same value.
    ///
    /// Few fields do so: a client must not be able to avoid a no by changing another value.
    public let boundsRefusals: Bool
    /// True if it bounds what a client can be granted ahead; such a field bounds a no as well.
    public let boundsWishes: Bool
    /// True if its values are the client's payload, which is not recorded.
    public let isPayload: Bool
    /// The form of values in rules; nil if any value of the type is valid.
    public private(set) var form: FactForm?
    /// The methods whose requests may have it; nil for all methods.
    public private(set) var methods: [String]?
    /// One sentence for people who write rules.
    public let note: String

    /// The permitted difference between values of later requests and the values that a person
    /// allowed.
    public enum Variation: Hashable, Sendable {
        /// Values may not differ: the value is equal, or missing as it was then.
        case fixed
        /// A single integer or amount may be lower than the one shown, not higher.
        case upTo
        /// Any difference: the field does not affect who owns, controls or receives.
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

    /// Returns the field with a form for its values.
    func with(_ form: FactForm) -> FactField {
        var copy = self
        copy.form = form
        return copy
    }
}

/// The vocabulary that one adapter offers to policy files.
///
/// Every request holds one, so a copy is a single reference.
public struct FactSchema: Sendable {
    private let words: Words

    /// Declares a vocabulary.
    public init(
        protocolID: ProtocolID, methods: [String], fields: [FactField], dangers: [Danger],
        alwaysAsked: [Danger] = []
    ) {
        words = Words(
            protocolID: protocolID, methods: methods, fields: fields, dangers: dangers,
            alwaysAsked: alwaysAsked)
    }

    /// The protocol that rules name.
    public var protocolID: ProtocolID { words.protocolID }
    /// All methods that the adapter decodes.
    public var methods: [String] { words.methods }
    /// All facts that it may produce.
    public var fields: [FactField] { words.fields }
    /// All dangers that it may produce, without the common ones.
    public var dangers: [Danger] { words.dangers }
    /// The dangers that a person is asked about each time.
    ///
    /// No remembered yes covers them, and no client can be granted them ahead.
    public var alwaysAsked: [Danger] { words.alwaysAsked }
    /// The names of the fields that bound wishes, sorted; if empty, clients have no wishes.
    var wishNames: [String] { words.wishNames }

    /// True if it is the identical object, and not only an equal one.
    package func isSame(as other: FactSchema) -> Bool { words === other.words }

    /// Returns the vocabulary with more fields, and with forms for the fields of these names.
    public func with(
        _ forms: [String: FactForm], adding more: [FactField] = []
    ) -> FactSchema {
        FactSchema(
            protocolID: protocolID, methods: methods,
            fields: (fields + more).map { field in
                forms[field.name].map { field.with($0) } ?? field
            }, dangers: dangers, alwaysAsked: alwaysAsked)
    }

    /// Returns the declaration that covers a field name; a family covers every name with its
    /// prefix.
    public func field(named name: String) -> FactField? {
        words.place(of: name).map { words.fields[$0] }
    }

    /// Returns whether values of this name are declared and not payload, so that they may be
    /// recorded.
    func keeps(_ name: String) -> Bool {
        words.place(of: name).map { !words.fields[$0].isPayload } ?? false
    }

    /// Returns whether a remembered no counts only for the same value of this name.
    func boundsRefusals(_ name: String) -> Bool { words.boundsRefusals(name) }
}

extension FactSchema {
    /// The vocabulary with its lookup tables.
    private final class Words: Sendable {
        let protocolID: ProtocolID
        let methods: [String]
        let fields: [FactField]
        let dangers: [Danger]
        let alwaysAsked: [Danger]
        let wishNames: [String]
        /// The names of the fields that bound a remembered no, indexed by length in bytes up to 63.
        ///
        /// The length alone distinguishes most names.
        private let refusalNames: [[String]]
        /// The fields that are not families, indexed by length.
        private let places: [[(name: String, place: Int)]]
        /// The families by prefix, such as `tag.`.
        private let families: [(prefix: String, place: Int)]

        init(
            protocolID: ProtocolID, methods: [String], fields: [FactField], dangers: [Danger],
            alwaysAsked: [Danger]
        ) {
            self.protocolID = protocolID
            self.methods = methods
            self.fields = fields
            self.dangers = dangers
            self.alwaysAsked = alwaysAsked
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
