// SPDX-License-Identifier: Apache-2.0

/// One field a rule may name.
public struct FactField: Hashable, Sendable {
    /// The field's name; a trailing `.*` declares a family such as `tag.*`.
    public let name: String
    /// What its values are.
    public let type: FactType
    /// Whether it holds several values.
    public let isList: Bool
    /// What a remembered yes says about values it was not given for.
    public let varies: Variation
    /// Whether a remembered no counts only for the same value; it opens nothing, so few fields
    /// do and it cannot be dodged by changing another.
    public let boundsRefusals: Bool
    /// Whether it bounds what a client can be granted ahead; such a field bounds a no as well.
    public let boundsWishes: Bool
    /// Whether its values are the client's payload, which is not kept on record.
    public let isPayload: Bool
    /// The form that values of rules are brought to; nil where any value of the type will do.
    public private(set) var form: FactForm?
    /// The methods whose requests may have it; nil where those of any method may.
    public private(set) var methods: [String]?
    /// One sentence for people who write rules.
    public let note: String

    /// How far the values of later requests may differ from what a person saw and allowed.
    public enum Variation: Hashable, Sendable {
        /// Not at all: the value is the one shown, or missing as it was then.
        case fixed
        /// A single integer or amount may be lower than the one shown, not higher.
        case upTo
        /// At will: it changes nothing of who owns, controls or receives.
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
    /// The same field, which only requests of these methods have.
    public func of(_ methods: [String]) -> FactField {
        var copy = self
        copy.methods = methods
        return copy
    }

    /// The same with a form for its values.
    func with(_ form: FactForm) -> FactField {
        var copy = self
        copy.form = form
        return copy
    }
}

/// The vocabulary one adapter offers to policy files.
///
/// It goes with every request, so that a copy of it is one reference.
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

    /// The protocol rules name.
    public var protocolID: ProtocolID { words.protocolID }
    /// Every method the adapter decodes.
    public var methods: [String] { words.methods }
    /// Every fact it may raise.
    public var fields: [FactField] { words.fields }
    /// Every danger it may raise, without those that any adapter may raise.
    public var dangers: [Danger] { words.dangers }
    /// The dangers that a person is asked about each time: no remembered yes covers them, and
    /// no client can be granted them ahead.
    public var alwaysAsked: [Danger] { words.alwaysAsked }
    /// The names of the fields that bound wishes, sorted; no client has wishes where it is empty.
    var wishNames: [String] { words.wishNames }

    /// Whether it is the very same vocabulary, and not only an equal one.
    package func isSame(as other: FactSchema) -> Bool { words === other.words }

    /// The same with more fields, and with forms for the values of some, by their names.
    public func with(
        _ forms: [String: FactForm], adding more: [FactField] = []
    ) -> FactSchema {
        FactSchema(
            protocolID: protocolID, methods: methods,
            fields: (fields + more).map { field in
                forms[field.name].map { field.with($0) } ?? field
            }, dangers: dangers, alwaysAsked: alwaysAsked)
    }

    /// The declaration that covers a field name; families cover every name they begin.
    public func field(named name: String) -> FactField? {
        words.place(of: name).map { words.fields[$0] }
    }

    /// Whether values of this name are declared and no payload, so that they may be kept.
    func keeps(_ name: String) -> Bool {
        words.place(of: name).map { !words.fields[$0].isPayload } ?? false
    }

    /// Whether a remembered no counts only for the same value of this name.
    func boundsRefusals(_ name: String) -> Bool { words.boundsRefusals(name) }
}

extension FactSchema {
    /// A vocabulary, ready to be looked up in.
    private final class Words: Sendable {
        let protocolID: ProtocolID
        let methods: [String]
        let fields: [FactField]
        let dangers: [Danger]
        let alwaysAsked: [Danger]
        let wishNames: [String]
        /// The names of the fields that bound a remembered no, by their length in bytes up to
        /// 63: most names are told apart by theirs.
        private let refusalNames: [[String]]
        /// Fields that are no families, in the same way.
        private let places: [[(name: String, place: Int)]]
        /// Families by what their names begin with, as `tag.`.
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
