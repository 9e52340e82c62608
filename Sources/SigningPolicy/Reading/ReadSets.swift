// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A set as used by one type of field.
struct SetUse: Hashable {
    let name: String
    let type: FactType
    let names: [String]?
    let form: FactForm?
}

/// The values of a set, including those of the sets that it names.
struct SetValues {
    let group: ValueGroup
    let includesOwn: Bool
}

extension PolicyReader {
    /// The name of the built-in set of this home's accounts.
    static let ownName = "own"
    /// The most sets in one file.
    static let setCountMax = 1_000
    /// The most members of one set, including those of the sets that it names.
    static let setMembersMax = 10_000
    /// The most members of all sets together, counted once for each type of field that uses them.
    static let setMembersTotalMax = 200_000

    mutating func readSets(_ node: TOMLNode) {
        guard case .table(let tables) = node.value else {
            report.error(.set, "sets are written as [set.NAME]", at: node.keyPosition)
            return
        }
        guard tables.count <= Self.setCountMax else {
            report.error(
                .tooMuch, "there are \(tables.count) sets; at most \(Self.setCountMax) are allowed",
                at: node.keyPosition)
            return
        }
        for table in tables { readSet(table) }
        var marks: [String: Mark] = [:]
        for set in sets.values.sorted(by: { $0.position < $1.position }) {
            checkReferences(of: set, &marks)
        }
    }

    private mutating func readSet(_ node: TOMLNode) {
        guard case .table(let lists) = node.value else {
            report.error(.set, "sets are written as [set.NAME]", at: node.keyPosition)
            return
        }
        let isNamed = !node.key.isEmpty && node.key.utf8.allSatisfy(Self.isSetNameByte)
        guard isNamed, node.key != Self.ownName else {
            let why = node.key == Self.ownName ? "\"@own\" is built in" : "a-z, 0-9, - and _ only"
            report.error(
                .set, "the set name \(quoted(node.key)) is invalid: \(why)", at: node.keyPosition)
            return
        }
        var members: [TOMLNode] = []
        for list in lists {
            guard case .array(let items) = list.value else {
                report.error(
                    .set, "a set has lists; \(quoted(list.key)) is \(list.value.name)",
                    at: list.position)
                continue
            }
            members += items
        }
        if members.count > Self.setMembersMax {
            report.error(
                .tooMuch, "the set has more than \(Self.setMembersMax) members",
                at: node.keyPosition)
            members = []
        } else if lists.allSatisfy(\.isEmptyArray) {
            report.error(.set, "the set \"\(node.key)\" has no members", at: node.keyPosition)
        }
        sets[node.key] = PolicySet(name: node.key, position: node.keyPosition, members: members)
    }

    /// Whether the references of a set are being followed (`open`) or have been (`done`).
    private enum Mark { case open, done }

    /// Reports unknown sets and removes references that lead back to the set itself.
    private mutating func checkReferences(of set: PolicySet, _ marks: inout [String: Mark]) {
        guard marks[set.name] == nil else { return }
        marks[set.name] = .open
        var kept: [TOMLNode] = []
        for member in set.members {
            if let name = member.setReference, name != Self.ownName {
                guard let inner = sets[name] else {
                    reportUnknownSet(name, at: member.position)
                    continue
                }
                guard marks[name] != .open else {
                    report.error(
                        .set, "the set \"\(set.name)\" contains itself", at: member.position)
                    continue
                }
                checkReferences(of: inner, &marks)
            }
            kept.append(member)
        }
        sets[set.name] = PolicySet(name: set.name, position: set.position, members: kept)
        marks[set.name] = .done
    }

    mutating func reportUnknownSet(_ name: String, at position: SourcePosition) {
        let meant = Suggestion.closest(to: name, among: Array(sets.keys) + [Self.ownName])
        report.error(
            .set, "unknown set \(quoted("@" + name))", at: position,
            suggestion: meant.map { "@" + $0 })
    }

    /// The values of a set for a field of this type; each use is read only once.
    mutating func values(
        ofSet name: String, for declared: PolicyVocabulary.Declaration,
        _ scope: PolicyVocabulary.Scope
    ) -> SetValues {
        usedSets.insert(name)
        let use = SetUse(
            name: name, type: declared.field.type, names: declared.names, form: declared.form)
        if let known = setGroups[use] { return known }
        var values: [FactValue] = []
        var includesOwn = false
        var named: Set<String> = []
        for member in sets[name]?.members ?? [] {
            guard let inner = member.setReference else {
                if let value = readValue(member, declared.ofMembers, scope) { values.append(value) }
                continue
            }
            guard named.insert(inner).inserted else { continue }
            if inner == Self.ownName {
                includesOwn = true
                checkOwn(member, declared)
            } else {
                let nested = self.values(ofSet: inner, for: declared, scope)
                values += nested.group.values
                includesOwn = includesOwn || nested.includesOwn
            }
        }
        let unique = Set(values.map(ExactValue.init)).map(\.value)
        setValueCount += unique.count
        let isTooLarge =
            unique.count > Self.setMembersMax || setValueCount > Self.setMembersTotalMax
        if isTooLarge, let set = sets[name] {
            report.error(
                .tooMuch, "the set is too large, with the sets that it names", at: set.position)
        }
        let result = SetValues(
            group: ValueGroup(isTooLarge ? [] : unique), includesOwn: includesOwn)
        setGroups[use] = result
        return result
    }

    mutating func checkOwn(_ node: TOMLNode, _ declared: PolicyVocabulary.Declaration) {
        guard declared.field.type != .account else { return }
        report.error(
            .wrongValue, "\"@own\" means accounts; \"\(declared.field.name)\" is not an account",
            at: node.position)
    }

    private static func isSetNameByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == UInt8(ascii: "_")
    }

    /// Whether the byte is one of a to z, a digit or a hyphen.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension TOMLNode {
    fileprivate var isEmptyArray: Bool {
        guard case .array(let items) = value else { return false }
        return items.isEmpty
    }

    /// The name of the set that a text such as `"@friends"` refers to; nil for a literal that
    /// begins with `"@@"`.
    var setReference: String? {
        guard case .text(let text) = value, let name = text.withoutAt, name.withoutAt == nil
        else { return nil }
        return name
    }
}
