// SPDX-License-Identifier: Apache-2.0

/// The one form that a field's values have in requests, which values of rules are brought to.
///
/// A value of a rule that no request can have would make a deny rule say nothing, unnoticed.
public struct FactForm: Hashable, Sendable {
    /// What it is called; forms of one name are the same.
    public let name: String
    /// Whether requests have no values of this form but those of a closed list.
    public private(set) var isClosed = false
    private let bring: @Sendable (FactValue) throws(FactFormError) -> FactValue
    private let isPart: @Sendable (String) -> Bool

    /// Makes a form from what brings a value to it, or says why it has no place there, and from
    /// whether some value in this form can have a text in it.
    public init(
        _ name: String, isPart: @escaping @Sendable (String) -> Bool = { _ in true },
        _ bring: @escaping @Sendable (FactValue) throws(FactFormError) -> FactValue
    ) {
        self.name = name
        self.isPart = isPart
        self.bring = bring
    }

    /// Whether a value in this form can have this text in it; true where that is not known.
    public func canHold(_ part: String) -> Bool { isPart(part) }

    /// The value in this form.
    public func normalised(_ value: FactValue) throws(FactFormError) -> FactValue {
        try bring(value)
    }

    /// Whether both have one name.
    public static func == (left: FactForm, right: FactForm) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { name.hash(into: &hasher) }
}

/// Why a value has no place in a rule.
public struct FactFormError: Error, Hashable, Sendable {
    /// What the field takes, to be read behind its name.
    public let demand: String
    /// The value that was probably meant.
    public let meant: String?

    /// Makes a reason.
    public init(_ demand: String, meant: String? = nil) {
        self.demand = demand
        self.meant = meant
    }
}

extension FactForm {
    /// A form of texts.
    public static func text(
        _ name: String, isPart: @escaping @Sendable (String) -> Bool = { _ in true },
        _ bring: @escaping @Sendable (String) throws(FactFormError) -> String
    ) -> FactForm {
        FactForm(name, isPart: isPart) { value throws(FactFormError) in
            guard case .text(let text) = value else { return value }
            return .text(try bring(text))
        }
    }

    /// One of these texts.
    public static func oneOf(_ names: [String]) -> FactForm {
        var form = text("one of \(names)") { text throws(FactFormError) in
            guard !names.contains(text) else { return text }
            throw FactFormError(
                "is one of \(names.joined(separator: ", "))",
                meant: names.first { $0.lowercased() == text.lowercased() })
        }
        form.isClosed = true
        return form
    }

    /// An integer between these bounds.
    public static func integer(in range: ClosedRange<Int128>) -> FactForm {
        FactForm("integer \(range)") { value throws(FactFormError) in
            guard case .integer(let number) = value, !range.contains(number) else { return value }
            throw FactFormError("is \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
