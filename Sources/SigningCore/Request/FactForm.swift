// SPDX-License-Identifier: Apache-2.0

/// The form of a field's values in requests; values in rules are converted to the same form.
///
/// Otherwise a deny rule with a value in another form would never match, without a warning.
public struct FactForm: Hashable, Sendable {
    /// The name; forms with the same name count as equal.
    public let name: String
    /// True if requests have only values of a fixed list.
    public private(set) var isClosed = false
    private let bring: @Sendable (FactValue) throws(FactFormError) -> FactValue
    private let isPart: @Sendable (String) -> Bool

    /// Makes a form from two functions.
    ///
    /// `bring` converts a value to the form, or throws. `isPart` returns whether a value in this
    /// form can contain a text.
    public init(
        _ name: String, isPart: @escaping @Sendable (String) -> Bool = { _ in true },
        _ bring: @escaping @Sendable (FactValue) throws(FactFormError) -> FactValue
    ) {
        self.name = name
        self.isPart = isPart
        self.bring = bring
    }

    /// Returns whether a value in this form can contain this text; true if that is not known.
    public func canHold(_ part: String) -> Bool { isPart(part) }

    /// Returns the value in this form.
    public func normalised(_ value: FactValue) throws(FactFormError) -> FactValue {
        try bring(value)
    }

    /// True if both forms have the same name.
    public static func == (left: FactForm, right: FactForm) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { name.hash(into: &hasher) }
}

/// An error in a value of a rule.
public struct FactFormError: Error, Hashable, Sendable {
    /// The valid values in words, which follow the field's name in the message.
    public let demand: String
    /// The valid value that was probably meant; nil if unknown.
    public let meant: String?

    /// Makes an error.
    public init(_ demand: String, meant: String? = nil) {
        self.demand = demand
        self.meant = meant
    }
}

extension FactForm {
    /// Makes a form of texts.
    public static func text(
        _ name: String, isPart: @escaping @Sendable (String) -> Bool = { _ in true },
        _ bring: @escaping @Sendable (String) throws(FactFormError) -> String
    ) -> FactForm {
        FactForm(name, isPart: isPart) { value throws(FactFormError) in
            guard case .text(let text) = value else { return value }
            return .text(try bring(text))
        }
    }

    /// Makes a form that takes one of these texts.
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

    /// Makes a form that takes an integer between these bounds.
    public static func integer(in range: ClosedRange<Int128>) -> FactForm {
        FactForm("integer \(range)") { value throws(FactFormError) in
            guard case .integer(let number) = value, !range.contains(number) else { return value }
            throw FactFormError("is \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
