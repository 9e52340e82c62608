// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The facts about the JSON arguments of calls: each value, under the path of its name.
///
/// The values of all calls of a transaction, and of all elements of lists, are combined. If some
/// calls or elements lack a value, or have one of another type, the fact is an empty list. No allow
/// rule matches an empty list as a value. An empty object or list is a value without a type.
struct ArgumentFacts {
    private static let pathsMax = 64
    private static let depthMax = 8
    private static let valuesMax = 256
    private static let nameBytesMax = 64
    private static let textBytesMax = 1_024
    /// The number of digits of 2^128 - 1, which NEAR writes as text.
    private static let digitsMax = 39

    /// The facts; empty if some of them exceed the bounds.
    private(set) var facts: [Fact] = []
    private var names: [String] = []
    /// True if all arguments are within bounds.
    private(set) var isWhole = true

    /// Reads the arguments of every call of a transaction.
    init(_ calls: [JSON]) {
        guard !calls.isEmpty else { return }
        read(calls, at: nil, depth: 0, isShared: true)
        guard isWhole else {
            facts = []
            return
        }
        facts.append(Fact("args.names", .list(names.map { .text($0) })))
    }

    /// Reads the values at a path; `isShared` is true if every call and element has a value there.
    private mutating func read(_ nodes: [JSON], at path: String?, depth: Int, isShared: Bool) {
        var leaves: [JSON] = []
        var objects: [JSONObject] = []
        for node in nodes { Self.collect(node, &leaves, &objects) }
        let hasEmpty = nodes.contains(where: Self.hasEmpty)
        if let path {
            if hasEmpty || !leaves.isEmpty { names.append(path) }
            addFacts(leaves, at: path, isShared: isShared && objects.isEmpty && !hasEmpty)
        }
        isWhole =
            isWhole && depth <= Self.depthMax && names.count <= Self.pathsMax
            && leaves.count + objects.count <= Self.valuesMax
        var known: Set<String> = []
        for name in objects.flatMap(\.names) where isWhole && known.insert(name).inserted {
            guard Self.isName(name) else {
                isWhole = false
                return
            }
            let values = objects.compactMap { $0[name] }
            read(
                values, at: path.map { "\($0).\(name)" } ?? name, depth: depth + 1,
                isShared: isShared && leaves.isEmpty && values.count == objects.count
                    && !nodes.contains(where: Self.hasEmptyList))
        }
    }

    /// True if it is an empty object or list, or a list with one among its elements.
    private static func hasEmpty(_ node: JSON) -> Bool {
        if case .object(let object) = node { return object.members.isEmpty }
        return hasEmptyList(node) || (node.list ?? []).contains(where: hasEmpty)
    }

    /// True if it is an empty list, or has one among its elements.
    private static func hasEmptyList(_ node: JSON) -> Bool {
        guard let elements = node.list else { return false }
        return elements.isEmpty || elements.contains(where: hasEmptyList)
    }

    /// Flattens lists of any depth into their other values.
    private static func collect(
        _ node: JSON, _ leaves: inout [JSON], _ objects: inout [JSONObject]
    ) {
        switch node {
        case .object(let object): objects.append(object)
        case .array(let elements):
            for element in elements { collect(element, &leaves, &objects) }
        case .null, .bool, .integer, .number, .string: leaves.append(node)
        }
    }

    /// Adds the values at one path: one fact for each type that occurs.
    private mutating func addFacts(_ leaves: [JSON], at path: String, isShared: Bool) {
        func add(_ type: String, _ values: [FactValue]) {
            guard !values.isEmpty else { return }
            let isAll = isShared && values.count == leaves.count
            facts.append(Fact("args.\(type).\(path)", .list(isAll ? values : [])))
        }
        if leaves.contains(where: { ($0.text?.utf8.count ?? 0) > Self.textBytesMax }) {
            isWhole = false
        }
        add("text", leaves.compactMap { leaf in leaf.text.map { .text($0) } })
        add("number", leaves.compactMap { leaf in Self.number(leaf).map { .integer($0) } })
        add("flag", leaves.compactMap { leaf in leaf.flag.map { .bool($0) } })
    }

    /// Returns a whole number, also one in quotes.
    private static func number(_ json: JSON) -> Int128? {
        switch json {
        case .integer(let value): return Int128(value)
        case .number(let text), .string(let text):
            guard (1...digitsMax).contains(text.utf8.count),
                text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let value = UInt128(text)
            else { return nil }
            return Int128(clamping: value)
        case .null, .bool, .array, .object: return nil
        }
    }

    /// True if a name can be part of a path without escaping.
    private static func isName(_ text: String) -> Bool {
        (1...nameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
