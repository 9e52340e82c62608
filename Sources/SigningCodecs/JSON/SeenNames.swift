// SPDX-License-Identifier: Apache-2.0

/// The names in one map so far, for finding duplicates.
///
/// Canonically equivalent names count as equal, because they look alike to a person.
struct SeenNames {
    private static let fewMax = 16

    private var few: [String] = []
    private var many: Set<String> = []

    /// Adds a name; false if it was present.
    mutating func insert(_ name: String) -> Bool {
        // Below a few names, comparing is cheaper than hashing.
        if few.count < Self.fewMax {
            guard !few.contains(name) else { return false }
            few.append(name)
            return true
        }
        if many.isEmpty { many = Set(few) }
        return many.insert(name).inserted
    }
}
