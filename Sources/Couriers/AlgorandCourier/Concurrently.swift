// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Sendable {
    /// Applies a function to all elements concurrently; the results are in order.
    func concurrently<Result: Sendable>(
        _ act: @escaping @Sendable (Element) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            for (place, element) in enumerated() {
                group.addTask { (place, await act(element)) }
            }
            var results: [(Int, Result)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
