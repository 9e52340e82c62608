// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import Testing

@testable import DoorPass

/// A key that is a door key except for its mistake.
private struct FaultyKey<Mistake: KeyMistake>: SigningKey, ~Copyable {
    static var scheme: SignatureScheme { Mistake.scheme }
    static var secretCount: Int { DoorKey.secretCount }
    let publicKey: [UInt8]
    private let key: DoorKey

    init(secret: borrowing SecretBytes) throws(CryptoError) {
        key = try DoorKey(secret: secret)
        publicKey = Mistake.publicKey(key.publicKey)
    }

    borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        Mistake.signature(try key.sign(message))
    }
}

/// The mistake of an algorithm.
private protocol KeyMistake {
    static var scheme: SignatureScheme { get }
    static func publicKey(_ right: [UInt8]) -> [UInt8]
    static func signature(_ right: [UInt8]) -> [UInt8]
}

extension KeyMistake {
    static var scheme: SignatureScheme { DoorKey.scheme }
    static func publicKey(_ right: [UInt8]) -> [UInt8] { right }
    static func signature(_ right: [UInt8]) -> [UInt8] { right }
}

private enum WrongSignature: KeyMistake {
    static func signature(_ right: [UInt8]) -> [UInt8] { right.dropLast() + [right[95] ^ 1] }
}

private enum ShortSignature: KeyMistake {
    static func signature(_ right: [UInt8]) -> [UInt8] { right.dropLast() }
}

private enum ShortPublicKey: KeyMistake {
    static func publicKey(_ right: [UInt8]) -> [UInt8] { right.dropLast() }
}

private enum KnownName: KeyMistake {
    static var scheme: SignatureScheme {
        SignatureScheme("ed25519", publicKeyCount: 96, signatureCount: 96) { _, _, _ in true }
    }
}

private enum NameWithoutKey: KeyMistake {
    static var scheme: SignatureScheme {
        SignatureScheme("multisig", publicKeyCount: 96, signatureCount: 96) { _, _, _ in true }
    }
}

@Suite("Keys of a curve that Countersign does not contain")
final class DoorKeyTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "doors-\(UUID().uuidString)").path
    private let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    private let rules = """
        version = 2
        default = "deny"
        [[rule]]
        id = "front"
        effect = "allow"
        protocol = "door"
        door = "front"
        """

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func doors(_ algorithms: SigningAlgorithm...) -> ProtocolSupport {
        ProtocolSupport(chains: [DoorChain()], wires: [DoorAdapter()], algorithms: algorithms)
    }

    private func secret(_ count: Int = 48) -> SecretBytes {
        SecretBytes(copying: [UInt8](repeating: 3, count: count).span)
    }

    /// Creates a home with one key and a policy.
    private func makeHome() throws -> Account {
        try OpenHome.create(at: path, speaking: .doors, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: .doors)
        let account = try home.makeKey(DoorChain(), name: "porter", passphrase: passphrase)
        try home.attest(policy: rules, passphrase: passphrase)
        return account
    }

    private func answer(
        _ door: String, speaking protocols: ProtocolSupport
    ) async throws -> Answer {
        let signer = try LocalSigner(of: OpenHome(at: path, speaking: protocols))
        try signer.unlock(passphrase: passphrase)
        let answer = await signer.answer(
            Frame(#"{"door":"\#(door)","until":9000000000}"#, from: .inProcess()))
        try signer.finish()
        return answer
    }

    @Test("a key is made, and the hub releases a pass that verifies with its public key")
    func pass() async throws {
        let account = try makeHome()
        #expect(account.algorithm.id == "ecdsa-p384" && account.publicKey.count == 96)
        guard case .message(let bytes) = try await answer("front", speaking: .doors).reply else {
            Issue.record("no reply")
            return
        }
        let json = try JSON.parse(bytes.span)
        let pass = try Hex.decode(#require(json["pass"]?.text))
        let signature = try Hex.decode(#require(json["signature"]?.text))
        #expect(pass == Pass(door: "front", until: 9_000_000_000)?.preimage)
        // README.md verifies a pass with the program of OpenSSL.
        let digest = P384.sha384(pass)
        #expect(DoorKey.scheme.isValid(signature, over: digest, by: account.publicKey))
        #expect(!DoorKey.scheme.isValid(signature, over: pass, by: account.publicKey))
        let other = try DoorKey(secret: secret())
        #expect(!DoorKey.scheme.isValid(signature, over: digest, by: other.publicKey))
    }

    @Test("the policy judges such a key like any other")
    func denied() async throws {
        _ = try makeHome()
        let ending = try await answer("vault", speaking: .doors).ending
        guard case .outcome(.denied(let reason)) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(reason.code == .policyDenied)
    }

    @Test("a signature that does not verify is not released")
    func faulty() async throws {
        _ = try makeHome()
        for algorithm in [
            SigningAlgorithm(FaultyKey<WrongSignature>.self),
            SigningAlgorithm(FaultyKey<ShortSignature>.self),
        ] {
            let answer = try await answer("front", speaking: doors(algorithm))
            guard case .outcome(.failed(let reason)) = answer.ending else {
                Issue.record("\(answer.ending)")
                continue
            }
            #expect(reason.code == .keyFailed)
            #expect(answer.reply == .message(Array(#"{"closed":"broken"}"#.utf8)))
        }
    }

    @Test("a secret or a public key of another length is refused")
    func lengths() throws {
        try OpenHome.create(at: path, speaking: .doors, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: .doors)
        for count in [0, 32, 47, 49] {
            #expect(throws: ServiceError.self) {
                try home.importKey(
                    DoorChain(), name: "a", secret: secret(count), passphrase: passphrase)
            }
        }
        let zero = SecretBytes(copying: [UInt8](repeating: 0, count: 48).span)
        #expect(throws: CryptoError.invalidSecretKey) { _ = try DoorKey(secret: zero) }
        let other = try OpenHome(
            at: path, speaking: doors(SigningAlgorithm(FaultyKey<ShortPublicKey>.self)))
        #expect(throws: ServiceError.self) {
            try other.makeKey(DoorChain(), name: "a", passphrase: passphrase)
        }
        #expect(try home.accounts().isEmpty)
    }

    @Test("an algorithm that is missing, given twice, or named like another one is refused")
    func names() throws {
        try OpenHome.create(at: path, speaking: .doors, passphrase: passphrase)
        let door = SigningAlgorithm(DoorKey.self)
        for protocols in [
            doors(), doors(door, door),
            doors(door, SigningAlgorithm(FaultyKey<KnownName>.self)),
            doors(door, SigningAlgorithm(FaultyKey<NameWithoutKey>.self)),
        ] {
            #expect(throws: ServiceError.self) { try OpenHome(at: path, speaking: protocols) }
        }
        #expect(throws: Never.self) { try OpenHome(at: path, speaking: doors(door)) }
    }

    @Test("a program without the algorithm lists the key, and says why it cannot use it")
    func unsupported() async throws {
        let account = try makeHome()
        let wireOnly = ProtocolSupport(wires: [DoorAdapter()])
        #expect(try OpenHome(at: path, speaking: wireOnly).accounts() == [account])
        let ending = try await answer("front", speaking: wireOnly).ending
        guard case .outcome(.failed(let reason)) = ending else {
            Issue.record("\(ending)")
            return
        }
        #expect(reason.code == .keyUnavailable)
        #expect(reason.text == "this program does not support ecdsa-p384 keys")
    }

    @Test("the key and the signature of RFC 6979, A.2.6, verify")
    func vector() throws {
        let secret = try Hex.decode(
            "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8"
                + "96d5724e4c70a825f872c9ea60d2edf5")
        let publicKey = try Hex.decode(
            "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64"
                + "def8f0ea9055866064a254515480bc13"
                + "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1"
                + "288b231c3ae0d4fe7344fd2533264720")
        let signature = try Hex.decode(
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c"
                + "81a648152e44acf96e36dd1e80fabe46"
                + "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94f"
                + "a329c145786e679e7b82c71a38628ac8")
        let key = try DoorKey(secret: SecretBytes(copying: secret.span))
        #expect(key.publicKey == publicKey)
        let digest = P384.sha384(Array("sample".utf8))
        #expect(DoorKey.scheme.isValid(signature, over: digest, by: publicKey))
    }
}
