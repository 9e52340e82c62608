// SPDX-License-Identifier: Apache-2.0

/// Finds the known word that was probably meant.
package enum Suggestion {
    /// The longest word that is compared, in bytes.
    static let wordMax = 64

    /// The closest candidate, if it is close enough for a typing mistake.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String?
    {
        let wanted = Array(word.utf8)
        guard wanted.count <= wordMax else { return nil }
        var best: (distance: Int, word: String)?
        for candidate in candidates {
            let other = Array(candidate.utf8)
            guard other.count <= wordMax else { continue }
            let distance = distance(wanted, other)
            guard distance <= max(1, max(wanted.count, other.count) / 3) else { continue }
            // Of equally close words the first in sort order wins, so that the answer is stable.
            if best.map({ (distance, candidate) < ($0.distance, $0.word) }) ?? true {
                best = (distance, candidate)
            }
        }
        return best?.word
    }

    /// The edit distance: insertions, deletions, replacements and swaps of neighbours.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var next = [row + 1]
            next.reserveCapacity(right.count + 1)
            for column in 0..<right.count {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(replaced, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                next.append(cost)
            }
            beforeLast = last
            last = next
        }
        return last[right.count]
    }
}
