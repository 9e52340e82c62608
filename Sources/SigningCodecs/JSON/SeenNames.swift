// SPDX-License-Identifier: Apache-2.0

/// The names of one map so far, to refuse a second one.
///
/// Canonically equivalent names count as the same: they look alike to a person.
struct SeenNames {
    private static let fewMax = 16

    private var few: [String] = []
    private var many: Set<String> = []

    /// Adds a name; false means that it was there before.
    mutating func insert(_ name: String) -> Bool {
        // A set only beyond a few names: comparing is cheaper than hashing until then.
        if few.count < Self.fewMax {
            guard !few.contains(name) else { return false }
            few.append(name)
            return true
        }
        if many.isEmpty { many = Set(few) }
        return many.insert(name).inserted
    }
}
