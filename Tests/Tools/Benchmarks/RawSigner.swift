// SPDX-License-Identifier: Apache-2.0

import CSecp256k1
import CSodium
import SigningCrypto

/// The C libraries alone, signing 32 or 250 bytes and verifying the signature.
enum RawSigner {
    case bip340, ed25519

    var name: String { self == .bip340 ? "BIP-340" : "Ed25519" }

    func signAndVerify() {
        switch self {
        case .bip340: Self.bip340State.signAndVerify()
        case .ed25519: Self.ed25519State.signAndVerify()
        }
    }

    private static let bip340State = BIP340State()
    private static let ed25519State = Ed25519State()
}

/// SAFETY: the benchmark runs on one thread.
@safe private final class BIP340State: @unchecked Sendable {
    private let context: OpaquePointer
    private var keyPair = secp256k1_keypair()
    private var publicKey = secp256k1_xonly_pubkey()
    private var message = [UInt8](repeating: 0x5A, count: 32)

    init() {
        guard let made = unsafe secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            preconditionFailure("no memory")
        }
        unsafe context = made
        let secret = [UInt8](repeating: 0x11, count: 32)
        let created = unsafe secp256k1_keypair_create(context, &keyPair, secret)
        let known = unsafe secp256k1_keypair_xonly_pub(context, &publicKey, nil, &keyPair)
        precondition(created == 1 && known == 1)
    }

    func signAndVerify() {
        var auxiliary = [UInt8](repeating: 0, count: 32)
        unsafe randombytes_buf(&auxiliary, 32)
        var signature = [UInt8](repeating: 0, count: 64)
        let signed = unsafe secp256k1_schnorrsig_sign32(
            context, &signature, message, &keyPair, auxiliary)
        let holds = unsafe secp256k1_schnorrsig_verify(
            context, signature, message, 32, &publicKey)
        precondition(signed == 1 && holds == 1)
        message[0] &+= 1
    }
}

/// SAFETY: the benchmark runs on one thread.
@safe private final class Ed25519State: @unchecked Sendable {
    private var publicKey = [UInt8](repeating: 0, count: 32)
    private var secretKey = [UInt8](repeating: 0, count: 64)
    private var message = [UInt8](repeating: 0x5A, count: 32)

    init() { precondition(unsafe crypto_sign_keypair(&publicKey, &secretKey) == 0) }

    func signAndVerify() {
        var signature = [UInt8](repeating: 0, count: 64)
        let signed = unsafe crypto_sign_detached(&signature, nil, message, 32, secretKey)
        let holds = unsafe crypto_sign_verify_detached(signature, message, 32, publicKey)
        precondition(signed == 0 && holds == 0)
        message[0] &+= 1
    }
}
