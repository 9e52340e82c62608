// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import SigningCrypto

/// An Ed25519 key under another name, whose last bytes a test may cut or change.
private struct OtherKey<Mistake: KeyMistake>: SigningKey, ~Copyable {
    static var scheme: SignatureScheme {
        SignatureScheme("other", publicKeyCount: 32, signatureCount: 64) {
            signature, message, publicKey in
            Signatures.isValidEd25519(
                signature: signature, message: message, publicKey: publicKey)
        }
    }
    static var secretCount: Int { 32 }
    let publicKey: [UInt8]
    private let key: Ed25519Key

    init(secret: borrowing SecretBytes) throws(CryptoError) {
        key = try Ed25519Key(seed: secret)
        publicKey = Array(key.publicKey.dropLast(Mistake.missingOfKey))
    }

    borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        Mistake.signature(try key.sign(message))
    }
}

private protocol KeyMistake {
    static var missingOfKey: Int { get }
    static func signature(_ right: [UInt8]) -> [UInt8]
}

extension KeyMistake {
    static var missingOfKey: Int { 0 }
    static func signature(_ right: [UInt8]) -> [UInt8] { right }
}

private enum NoMistake: KeyMistake {}

private enum ShortKey: KeyMistake {
    static var missingOfKey: Int { 1 }
}

private enum LongSignature: KeyMistake {
    static func signature(_ right: [UInt8]) -> [UInt8] { right + [0] }
}

private enum WrongSignature: KeyMistake {
    static func signature(_ right: [UInt8]) -> [UInt8] { [right[0] ^ 1] + right.dropFirst() }
}

@Suite("Signature algorithms")
struct SigningAlgorithmTests {
    private var secret: SecretBytes {
        SecretBytes(copying: [UInt8](repeating: 5, count: 32).span)
    }
    private let message = [UInt8](repeating: 9, count: 32)

    @Test("those of the library sign by their schemes", arguments: 0..<3)
    func builtIn(place: Int) throws {
        let algorithm = SigningAlgorithm.builtIn[place]
        #expect(algorithm.secretCount == 32)
        let key = try algorithm.open(secret)
        #expect(try algorithm.open(secret).publicKey == key.publicKey)
        let signature = try key.sign(message)
        let scheme = algorithm.scheme
        let other = [1] + message.dropFirst()
        #expect(scheme.isValid(signature, over: message, by: key.publicKey))
        #expect(!scheme.isValid(signature, over: other, by: key.publicKey))
        #expect(!scheme.isValid(signature + [0], over: message, by: key.publicKey))
        #expect(!scheme.isValid(signature, over: message, by: key.publicKey + [0]))
        let short = SecretBytes(copying: [UInt8](repeating: 5, count: 31).span)
        #expect(throws: CryptoError.wrongLength(expected: 32, actual: 31)) {
            try algorithm.open(short)
        }
    }

    @Test("their names are the stored ones")
    func names() {
        #expect(SigningAlgorithm.builtIn.map(\.id.id) == ["ed25519", "bip340", "p256"])
    }

    @Test("one of a caller's opens keys, and does not replace one of the library")
    func given() throws {
        let given = [SigningAlgorithm(OtherKey<NoMistake>.self)]
        #expect(given.named(KeyAlgorithm("other"))?.scheme.id == "other")
        #expect(given.named(.bip340)?.scheme == .bip340)
        #expect(given.named(.multisig) == nil && [].named(KeyAlgorithm("other")) == nil)
        let key = try given[0].open(secret)
        let signature = try key.sign(message)
        #expect(given[0].scheme.isValid(signature, over: message, by: key.publicKey))
    }

    @Test("a signature that its scheme does not accept is not returned")
    func refused() throws {
        for algorithm in [
            SigningAlgorithm(OtherKey<LongSignature>.self),
            SigningAlgorithm(OtherKey<WrongSignature>.self),
        ] {
            let key = try algorithm.open(secret)
            #expect(throws: CryptoError.signatureSelfCheckFailed) { try key.sign(message) }
        }
    }

    @Test("a public key of another length than its scheme's is refused")
    func publicKeys() {
        let algorithm = SigningAlgorithm(OtherKey<ShortKey>.self)
        #expect(throws: CryptoError.invalidPublicKey) { try algorithm.open(secret) }
    }
}
