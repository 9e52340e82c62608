// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Comparisons whose duration does not reveal where two values differ.
public enum ConstantTime {
    /// Returns whether two values are equal, in a time that depends on their lengths only.
    public static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withPointer { first in
            unsafe right.withPointer { second in
                unsafe sodium_memcmp(first, second, left.count) == 0
            }
        }
    }
}
