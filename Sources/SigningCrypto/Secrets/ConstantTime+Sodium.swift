// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Comparisons that do not tell by their duration where two values differ.
public enum ConstantTime {
    /// Whether two values are the same, in a time that depends on their lengths only.
    public static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withPointer { first in
            unsafe right.withPointer { second in
                unsafe sodium_memcmp(first, second, left.count) == 0
            }
        }
    }
}
