// SPDX-License-Identifier: Apache-2.0

/// A named account of NEAR in the parts that people read.
struct NameLabels {
    /// The parts before the top-level name, which `. - _` separate, one letter for all that look
    /// alike.
    let labels: [[UInt8]]
    /// The top-level name, such as `near`; the whole name if it has no dot.
    let top: Substring
    /// The number of letters before the top-level name, or of all if the name has no dot.
    let count: Int
    /// For each part, true if it is the first one or a dot stands before it.
    private let isAfterDot: [Bool]

    init(_ text: String) {
        let dot = text.lastIndex(of: ".")
        top = dot.map { text[text.index(after: $0)...] } ?? text[...]
        var labels: [[UInt8]] = []
        var isAfterDot: [Bool] = []
        var count = dot == nil ? text.utf8.count : 0
        for part in text[..<(dot ?? text.startIndex)].split(separator: ".") {
            let own = part.split { $0 == "-" || $0 == "_" }
            for (place, label) in own.enumerated() {
                labels.append(Self.folded(label))
                isAfterDot.append(place == 0)
                count += label.utf8.count
            }
        }
        self.labels = labels
        self.count = count
        self.isAfterDot = isAfterDot
    }

    /// Returns whether the parts of another name stand among these; `inDots` counts only those at
    /// the end that a dot separates from what stands before them.
    func contains(_ other: NameLabels, inDots: Bool) -> Bool {
        let rest = labels.count - other.labels.count
        guard !other.labels.isEmpty, rest >= 0 else { return false }
        return (inDots ? rest...rest : 0...rest).contains { start in
            (!inDots || isAfterDot[start])
                && labels[start..<(start + other.labels.count)].elementsEqual(other.labels)
        }
    }

    /// Returns whether the whole of another name stands among these parts, with its top-level name.
    func containsWhole(_ other: NameLabels) -> Bool {
        let whole = other.labels + [Self.folded(other.top)]
        guard !other.labels.isEmpty, labels.count >= whole.count else { return false }
        return (0...(labels.count - whole.count)).contains { start in
            labels[start..<(start + whole.count)].elementsEqual(whole)
        }
    }

    /// Returns the letters of a text, one for all that look alike.
    static func folded(_ text: some StringProtocol) -> [UInt8] {
        var letters: [UInt8] = []
        for byte in text.utf8 {
            let letter = alike[byte] ?? byte
            if let last = letters.last, let joined = joined[[last, letter]] {
                letters[letters.count - 1] = joined
            } else {
                letters.append(letter)
            }
        }
        return letters
    }

    private static let alike: [UInt8: UInt8] = Dictionary(
        uniqueKeysWithValues: zip("01i2589q_".utf8, "ollzsbgg-".utf8).map { ($0, $1) })
    private static let joined: [[UInt8]: UInt8] = [
        Array("rn".utf8): UInt8(ascii: "m"), Array("vv".utf8): UInt8(ascii: "w"),
        Array("cl".utf8): UInt8(ascii: "d"),
    ]
}
