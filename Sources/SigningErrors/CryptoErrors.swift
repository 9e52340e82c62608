// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import SigningCrypto
internal import SigningService

extension CryptoError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .wrongLength(let expected, let actual):
            "\(expected) bytes are needed, and there are \(actual)"
        case .lengthOutOfRange(let actual, let max):
            "the text has \(actual) bytes, and must have 1 to \(max)"
        case .invalidSecretKey: "the bytes are not a secret key of this curve"
        case .invalidPublicKey: "the bytes are not a public key of this curve"
        case .signatureSelfCheckFailed: "the new signature could not be verified"
        case .authenticationFailed: "the sealed data were changed, or sealed by another key"
        case .decryptionFailed: "the message cannot be decrypted"
        case .notText: "the text is not valid UTF-8"
        case .outOfMemory: "there is not enough memory"
        case .unsupportedParameters: "the cost parameters are outside of the accepted range"
        }
    }
}

extension SecretText.ParseError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { explained.message }
    /// The remedy.
    public var recoverySuggestion: String? { explained.hint }
}

extension MnemonicError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { SecretText.ParseError.mnemonic(self).errorDescription }
    /// The remedy.
    public var recoverySuggestion: String? {
        SecretText.ParseError.mnemonic(self).recoverySuggestion
    }
}

extension NIP49.ParseError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .malformed: "this is not an ncryptsec"
        case .unsupportedVersion: "this version of ncryptsec is not supported"
        case .tooExpensive(let logN, let max): "the cost 2^\(logN) is above the limit of 2^\(max)"
        case .wrongPassword: "the password is wrong, or the text was changed"
        case .unusablePassword: "the password is longer than 1024 bytes, or not UTF-8"
        case .invalidSecretKey: "the content is not a secret key"
        case .outOfMemory: "there is not enough memory"
        }
    }
}
