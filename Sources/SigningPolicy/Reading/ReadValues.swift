// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore

extension PolicyReader {
    /// The most literal values in one list.
    static let valueCountMax = 10_000

    /// Reads a value, a list of values or a set; nil if there is an error in it.
    mutating func readValues(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> ValueList? {
        let items = node.items
        guard !items.isEmpty else {
            report.error(.wrongValue, "the list is empty: it never matches", at: node.position)
            return nil
        }
        guard items.count <= Self.valueCountMax else {
            report.error(
                .tooMuch, "the list has more than \(Self.valueCountMax) values", at: node.position)
            return nil
        }
        var literals: [FactValue] = []
        var sets: [(name: String, values: ValueGroup)] = []
        var namesOwn = false
        var includesOwn = false
        for item in items {
            guard let name = item.setReference else {
                if let value = readValue(item, declared, scope) { literals.append(value) }
                continue
            }
            if name == Self.ownName {
                checkOwn(item, declared)
                namesOwn = true
            } else if self.sets[name] == nil {
                reportUnknownSet(name, at: item.position)
            } else if !sets.contains(where: { $0.name == name }) {
                let values = values(ofSet: name, for: declared, scope)
                sets.append((name, values.group))
                includesOwn = includesOwn || values.includesOwn
            }
        }
        return ValueList(
            literals, sets: sets, namesOwn: namesOwn, includesOwn: includesOwn || namesOwn)
    }

    /// Reads one value of the field's type.
    mutating func readValue(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> FactValue? {
        if let names = declared.names {
            guard case .text(let name) = node.value, names.contains(name) else {
                reportUnknownName(node, of: declared.field.name, among: names, scope)
                return nil
            }
            return .text(name)
        }
        if let protocolName = declared.tokensOf, Self.isWithUnit(node.value) {
            let amount = readAssetAmount(node, declared.field, of: protocolName)
            if amount != nil, let asset = asset(of: node) {
                namedAssets.append((asset, node.position))
            }
            return amount.map { .integer($0) }
        }
        let value: FactValue
        do throws(ValueProblem) {
            value = try FactValue(node.value, as: declared.field.type)
        } catch {
            report.error(.wrongValue, "\"\(declared.field.name)\" \(error.text)", at: node.position)
            return nil
        }
        guard let form = declared.form else { return value }
        do throws(FactFormError) {
            return try form.normalised(value)
        } catch {
            report.error(
                .wrongValue, "\"\(declared.field.name)\" \(VisibleText.escaped(error.demand))",
                at: node.position, suggestion: error.meant)
            return nil
        }
    }
}

/// The problem with a value, in words that follow the field's name.
struct ValueProblem: Error {
    let text: String
}

extension FactValue {
    /// Reads a value in the notation that the schema declares for its type.
    init(_ value: TOMLValue, as type: FactType) throws(ValueProblem) {
        switch (type, value) {
        case (.bool, .bool(let bool)): self = .bool(bool)
        case (.integer, .integer(let number)), (.duration, .integer(let number)):
            self = .integer(Int128(number))
        case (.integer, .text(let text)): self = .integer(try Int128(written: text))
        case (.amount(let unit), .text(let text)): self = .integer(try unit.amount(of: text))
        case (.text, .text(let text)), (.account, .text(let text)):
            // "@@" escapes a text that begins with "@"; a single "@" names a set.
            self = .text(text.withoutAt ?? text)
        case (.bytes, .text(let text)):
            guard let bytes = try? Hex.decode(text, upperCase: .allowed) else {
                throw ValueProblem(text: "takes pairs of hexadecimal digits")
            }
            self = .bytes(bytes)
        case (.time, .time(let time)): self = .time(time)
        case (.duration, .text(let text)):
            guard let seconds = WrittenDuration.seconds(of: text) else {
                throw ValueProblem(text: type.demand)
            }
            self = .integer(Int128(seconds))
        default: throw ValueProblem(text: "\(type.demand), not \(value.name)")
        }
    }
}

extension FactType {
    /// The notation of its values, in words.
    var demand: String {
        switch self {
        case .bool: "takes true or false"
        case .integer: "takes an integer"
        case .amount(let unit): "takes an amount such as \"5 \(unit.symbol)\""
        case .text: "takes text"
        case .account: "takes an account address or \"@own\""
        case .bytes: "takes hexadecimal text"
        case .time: "takes a date-time with its offset, such as 2027-01-01T00:00:00Z"
        case .duration: "takes seconds or text such as \"90s\", \"5m\", \"1h\" or \"1d\""
        }
    }
}
