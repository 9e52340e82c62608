// SPDX-License-Identifier: Apache-2.0

/// An assertion that differs between two policies.
package struct AssertionChange: Sendable {
    package let id: String
    /// `added`, `removed` or `changed`.
    package let word: String
}
