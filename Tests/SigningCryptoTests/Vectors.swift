// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

/// Reads the vectors in `Tests/Vectors`.
enum Vectors {
    static func bytes(_ path: String) throws -> [UInt8] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: tests.appending(path: "Vectors/\(path)")))
    }

    static func json<T: Decodable>(_ path: String, as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data(bytes(path)))
    }

    /// Reads a vector file whose member names have underscores.
    static func snakeJSON<T: Decodable>(_ path: String, as type: T.Type) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(bytes(path)))
    }
}

/// Bytes written as hexadecimal digits in either case.
struct Hex: Decodable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) {
        let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
        precondition(digits.count == text.count && digits.count.isMultiple(of: 2))
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }
}

extension SecretBytes {
    init(_ bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }

    init(text: String) {
        self.init(Array(text.utf8))
    }

    /// A copy outside the guarded pages, which only a test may make.
    borrowing func copy() -> [UInt8] {
        withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }
}

extension [UInt8] {
    init(hex: String) {
        self = Hex(hex).bytes
    }

    func flipping(bit: Int) -> [UInt8] {
        var copy = self
        copy[bit / 8] ^= 1 << (bit % 8)
        return copy
    }
}

// The expectation macros cannot hold a span, so these take arrays.

func sha256(_ message: [UInt8]) -> [UInt8] {
    Digest.sha256(message.span)
}

func isEd25519(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    Signatures.isValidEd25519(
        signature: signature.span, message: message.span, publicKey: publicKey.span)
}

func isBIP340(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    Signatures.isValidBIP340(
        signature: signature.span, message: message.span, publicKey: publicKey.span)
}

func isPublicKey(_ xOnly: [UInt8]) -> Bool {
    XOnlyKey(xOnly.span) != nil
}

func nip44Decrypt(_ payload: [UInt8], key: [UInt8]) throws(CryptoError) -> [UInt8] {
    try NIP44.decrypt(payload.span, conversationKey: SecretBytes(key))
}

/// The error that `body` throws, or nil.
func cryptoError(_ body: () throws(CryptoError) -> Void) -> CryptoError? {
    do throws(CryptoError) {
        try body()
        return nil
    } catch {
        return error
    }
}
