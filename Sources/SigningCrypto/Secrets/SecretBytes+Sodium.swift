// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension SecretBytes {
    /// Copies bytes into a secret; the caller wipes the original.
    public init(copying source: Span<UInt8>) {
        self.init(count: source.count) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe source.withUnsafeBufferPointer { source in
                    _ = unsafe bytes.update(fromContentsOf: source)
                }
            }
        }
    }

    /// Makes a secret from the random source of the operating system.
    public static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                unsafe randombytes_buf(base, bytes.count)
            }
        }
    }

    /// Takes a zeroed place for a small secret, or allocates pages between guard pages.
    static func allocate(count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(count >= 0, "the length of the secret is negative")
        // sodium_malloc ends the process when it is called before sodium_init.
        precondition(Sodium.isReady, "libsodium could not be initialised.")
        if let place = unsafe SecretArena.shared.take(count) {
            return unsafe UnsafeMutableBufferPointer(start: place, count: count)
        }
        // Lack of memory, as with every Swift allocation, ends the process.
        guard let memory = unsafe sodium_malloc(count) else {
            preconditionFailure("There is no memory for a secret.")
        }
        unsafe sodium_memzero(memory, count)
        let base = unsafe memory.bindMemory(to: UInt8.self, capacity: count)
        return unsafe UnsafeMutableBufferPointer(start: base, count: count)
    }

    /// Wipes the unused bytes, and makes separate pages read-only.
    static func seal(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, used: Int
    ) -> UnsafeMutablePointer<UInt8> {
        guard let base = bytes.baseAddress else {
            preconditionFailure("the memory of a secret has no address")
        }
        unsafe sodium_memzero(base + used, bytes.count - used)
        guard unsafe !SecretArena.shared.holds(base) else { return unsafe base }
        let status = unsafe sodium_mprotect_readonly(base)
        precondition(status == 0, "The pages of a secret could not be made read-only.")
        return unsafe base
    }

    /// Wipes and frees an allocation; its pages may be read-only.
    static func release(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        if let base = bytes.baseAddress, unsafe SecretArena.shared.holds(base) {
            unsafe SecretArena.shared.giveBack(base)
        } else {
            unsafe sodium_free(bytes.baseAddress)
        }
    }
}
