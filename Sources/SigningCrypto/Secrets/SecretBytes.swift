// SPDX-License-Identifier: Apache-2.0

/// Secret bytes in guarded memory, wiped at the end of their life.
///
/// Small secrets share pages. Larger ones have separate pages, which are read-only after the
/// initialiser. All pages are between guard pages and are kept out of swap and core dumps as far as
/// the system allows. A secret is lent by `withSpan` and never copied into an array or a string.
@safe public struct SecretBytes: ~Copyable, @unchecked Sendable {
    // SAFETY: The bytes are not written after the initialiser.
    let base: UnsafeMutablePointer<UInt8>

    /// The number of bytes.
    public let count: Int

    /// Makes a secret whose length is known only after it was filled.
    ///
    /// `fill` receives zeros and returns the number of bytes that it used; the rest is wiped and
    /// not visible.
    public init<E: Error>(
        countMax: Int, _ fill: (inout MutableSpan<UInt8>) throws(E) -> Int
    ) throws(E) {
        let bytes = unsafe Self.allocate(count: countMax)
        let used: Int
        do throws(E) {
            var span = unsafe MutableSpan(_unsafeElements: bytes)
            used = try fill(&span)
        } catch {
            unsafe Self.release(bytes)
            throw error
        }
        precondition(used >= 0 && used <= countMax, "more bytes are used than the secret has")
        unsafe base = Self.seal(bytes, used: used)
        count = used
    }

    /// Makes a secret of exactly `count` bytes; `fill` receives zeros.
    public init(count: Int, _ fill: (inout MutableSpan<UInt8>) -> Void) {
        self.init(countMax: count) { span in
            fill(&span)
            return count
        }
    }

    deinit { unsafe Self.release(UnsafeMutableBufferPointer(start: base, count: count)) }

    /// Lends the bytes to `body`.
    public borrowing func withSpan<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try body(unsafe Span(_unsafeStart: base, count: count))
    }

    /// Returns whether two secrets are equal, in a time that depends on their lengths only.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        withSpan { own in
            other.withSpan { other in ConstantTime.isEqual(own, other) }
        }
    }
}

extension SecretBytes {
    /// Derives a 32-byte key for one purpose (HKDF-Expand, RFC 5869); the key reveals nothing about
    /// this secret.
    public borrowing func derivedKey(for purpose: String) -> SecretBytes {
        HKDF.expand(key: self, info: Array(purpose.utf8).span, count: Digest.sha256Count)
    }
}
