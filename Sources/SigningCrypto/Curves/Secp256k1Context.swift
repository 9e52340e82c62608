// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

/// The one libsecp256k1 context of the process, blinded with fresh randomness.
@safe final class Secp256k1Context: @unchecked Sendable {
    static let shared = Secp256k1Context()

    // SAFETY: It is randomised before it is shared; every later call takes it as const.
    let pointer: OpaquePointer

    private init() {
        guard let pointer = unsafe secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            preconditionFailure("There is no memory for a libsecp256k1 context.")
        }
        // Blinding protects the secret key against side channels.
        let status = unsafe SecretBytes.random(count: 32).withPointer { seed in
            unsafe secp256k1_context_randomize(pointer, seed)
        }
        precondition(status == 1, "libsecp256k1 failed to randomise")
        unsafe self.pointer = pointer
    }
}
