// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Lends a pointer that is never null.
    ///
    /// The C libraries mark their parameters nonnull even if the length is zero, and an empty span
    /// has no address. `body` then receives the address of a byte that is not read.
    package func withPointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { (buffer) throws(E) in
            if let base = buffer.baseAddress { return try unsafe body(base) }
            var unread: UInt8 = 0
            return try unsafe Swift.withUnsafePointer(to: &unread, body)
        }
    }
}

extension [UInt8] {
    /// Appends a copy of the bytes of a span.
    package mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
