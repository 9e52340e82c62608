// SPDX-License-Identifier: Apache-2.0

/// Several expressions read at once; finds a text for each set of expressions that one text can
/// match.
struct ProductAutomaton {
    /// The most states of the product, and the most steps between them.
    static let statesMax = 5_000
    static let stepsMax = 100_000

    private struct Edge {
        let ranges: [ClosedRange<UInt32>]
        let target: Int32
    }

    private var edges: [[Edge]] = []
    private var freeSteps: [[Int32]] = []
    /// The last state of each expression.
    private var ends: [Int32] = []
    private var start: Set<Int32> = []
    private let alphabet: [ClosedRange<UInt32>]

    /// `alphabet` has every symbol of a text.
    init(_ expressions: [Expression], alphabet: [ClosedRange<UInt32>]) {
        self.alphabet = alphabet
        for expression in expressions {
            let (first, last) = (addState(), addState())
            build(expression, from: first, to: last)
            start.insert(first)
            ends.append(last)
        }
    }

    /// A shortest text for each set of expressions that some text matches; nil if there are too
    /// many states.
    ///
    /// Texts for which `isTaken` is true are used only if no other text was found; then `isFree` is
    /// false.
    func texts(
        isTaken: ([UInt32]) -> Bool
    ) -> [(text: [UInt32], matches: [Bool], isFree: Bool)]? {
        let symbols = representatives
        var states = [closure(of: start)]
        var origins: [(state: Int, symbol: UInt32)] = [(-1, 0)]
        var known = [states[0]: 0]
        var found: [[Bool]: (text: [UInt32], isFree: Bool)] = [:]
        var order: [[Bool]] = []
        func text(of state: Int) -> [UInt32] {
            var (text, place): ([UInt32], Int) = ([], state)
            while place > 0 {
                text.append(origins[place].symbol)
                place = origins[place].state
            }
            return text.reversed()
        }
        func note(_ text: [UInt32], _ state: [Int32]) {
            let members = Set(state)
            let matches = ends.map { members.contains($0) }
            guard found[matches]?.isFree != true else { return }
            let isFree = !isTaken(text)
            if found[matches] == nil { order.append(matches) }
            if found[matches] == nil || isFree { found[matches] = (text, isFree) }
        }
        note([], states[0])
        var place = 0
        var steps = 0
        while place < states.count {
            for symbol in symbols {
                steps += 1
                let next = step(states[place], symbol)
                if known[next] == nil {
                    known[next] = states.count
                    states.append(next)
                    origins.append((place, symbol))
                    note(text(of: states.count - 1), next)
                } else {
                    // Another text of a known state may be free.
                    let members = Set(next)
                    if found[ends.map { members.contains($0) }]?.isFree == false {
                        note(text(of: place) + [symbol], next)
                    }
                }
            }
            guard states.count <= Self.statesMax, steps <= Self.stepsMax else { return nil }
            place += 1
        }
        return order.compactMap { matches in
            found[matches].map { ($0.text, matches, $0.isFree) }
        }
    }

    /// One symbol for each group of symbols that no edge distinguishes, readable ones first.
    private var representatives: [UInt32] {
        let sets = Set(edges.joined().map(\.ranges))
        let bounds = (sets.joined() + alphabet)
            .flatMap { [$0.lowerBound, $0.upperBound + 1] }
        // Readable symbols are tried first in each group.
        let readable = [97...122, 48...57, 65...90, 33...126].flatMap { Array($0) as [UInt32] }
        let candidates = readable + Set(bounds).sorted()
        let ordered = Array(sets)
        var seen: Set<[Bool]> = []
        return candidates.filter { symbol in
            alphabet.contains { $0.contains(symbol) }
                && seen.insert(ordered.map { $0.contains { $0.contains(symbol) } }).inserted
        }
    }

    private func step(_ state: [Int32], _ symbol: UInt32) -> [Int32] {
        var targets: Set<Int32> = []
        for member in state {
            for edge in edges[Int(member)] where edge.ranges.contains(where: { $0 ~= symbol }) {
                targets.insert(edge.target)
            }
        }
        return closure(of: targets)
    }

    private func closure(of states: Set<Int32>) -> [Int32] {
        var reached = states
        var open = Array(states)
        while let state = open.popLast() {
            for next in freeSteps[Int(state)] where reached.insert(next).inserted {
                open.append(next)
            }
        }
        return reached.sorted()
    }

    private mutating func addState() -> Int32 {
        edges.append([])
        freeSteps.append([])
        return Int32(edges.count - 1)
    }

    private mutating func build(_ expression: Expression, from first: Int32, to last: Int32) {
        switch expression {
        case .symbol(let ranges):
            edges[Int(first)].append(Edge(ranges: ranges, target: last))
        case .sequence(let parts):
            var place = first
            for part in parts {
                let next = addState()
                build(part, from: place, to: next)
                place = next
            }
            freeSteps[Int(place)].append(last)
        case .either(let parts):
            for part in parts { build(part, from: first, to: last) }
        case .many(let part):
            // The loop has states of its own, so that nothing enters it from outside.
            let (head, tail) = (addState(), addState())
            freeSteps[Int(first)].append(head)
            freeSteps[Int(head)].append(last)
            build(part, from: head, to: tail)
            freeSteps[Int(tail)].append(head)
        }
    }
}
