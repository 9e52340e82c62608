// SPDX-License-Identifier: Apache-2.0

public import CPKCS11
import SigningCore

/// The reasons that a token or one of its keys cannot be used.
public enum TokenError: Error, Hashable, Sendable {
    /// The module of the token cannot be loaded.
    case noModule(path: String, reason: String)
    /// The module lacks a function of PKCS #11.
    case noFunction(String)
    /// A token with this label or serial number is not present; the labels of those that are.
    case noToken(wanted: String, present: [String])
    /// Several tokens have the label, or no label was given; their serial numbers.
    case severalTokens(label: String?, serials: [String])
    /// The token was removed, or another one was put in its place.
    case removed
    /// The token does not sign with Ed25519.
    case noMechanism
    /// The PIN was not given.
    case noPIN
    /// The PIN is wrong.
    case wrongPIN
    /// The PIN is wrong, and the token locks itself after the next wrong one.
    case wrongPINWithOneTryLeft
    /// The token has locked its PIN after too many wrong ones.
    case pinLocked
    /// The owner has not set a PIN yet, or has to change it.
    case pinNotSet
    /// The chain of the name is not supported.
    case unknownProtocol(TokenKeyName)
    /// A key with this name is on the token already.
    case nameTaken(TokenKeyName)
    /// The key is not on the token.
    case noKey(TokenKeyName)
    /// Several keys of the token have this name.
    case keyTwice(TokenKeyName)
    /// The token would give away the secret of this key.
    case readable(TokenKeyName)
    /// The seed does not have 32 bytes.
    case wrongSeed
    /// The signature of the token is not valid for the public key.
    case wrongSignature(TokenKeyName)
    /// The token reported another error: the number and the function.
    case other(CK_RV, during: String)

    /// Reads a result of a module; nil for success.
    init?(_ result: CK_RV, during function: String) {
        switch result {
        case CK_RV(CKR_OK): return nil
        case CK_RV(CKR_PIN_INCORRECT), CK_RV(CKR_PIN_INVALID), CK_RV(CKR_PIN_LEN_RANGE):
            self = .wrongPIN
        case CK_RV(CKR_PIN_LOCKED): self = .pinLocked
        case CK_RV(CKR_USER_PIN_NOT_INITIALIZED), CK_RV(CKR_PIN_EXPIRED): self = .pinNotSet
        case CK_RV(CKR_DEVICE_REMOVED), CK_RV(CKR_TOKEN_NOT_PRESENT), CK_RV(CKR_SLOT_ID_INVALID):
            self = .removed
        case CK_RV(CKR_MECHANISM_INVALID), CK_RV(CKR_CURVE_NOT_SUPPORTED): self = .noMechanism
        default: self = .other(result, during: function)
        }
    }
}

extension TokenError {
    /// The problem, in one line.
    public var message: String {
        switch self {
        case .noModule(let path, let reason): "the module \(path) cannot be loaded: \(reason)"
        case .noFunction(let name): "the module has no function \(name)"
        case .noToken(let wanted, _): "there is no token\(wanted)"
        case .severalTokens(let label, _):
            label.map { "several tokens have the label \"\(VisibleText.quotable($0))\"" }
                ?? "there are several tokens"
        case .removed: "the token was removed"
        case .noMechanism: "the token does not sign with Ed25519 (CKM_EDDSA)"
        case .noPIN: "the PIN of the token was not given"
        case .wrongPIN: "the PIN of the token is wrong"
        case .wrongPINWithOneTryLeft: "the PIN of the token is wrong, and one try is left"
        case .pinLocked: "the PIN of the token is locked after too many wrong tries"
        case .pinNotSet: "the PIN of the token is not set or has expired"
        case .unknownProtocol(let name): "there is no protocol \"\(name.protocolID.name)\" here"
        case .nameTaken(let name): "the token has a key \(name) already"
        case .noKey(let name): "the key \(name) is not on the token"
        case .keyTwice(let name): "the token has several keys \(name)"
        case .readable(let name): "the token would give away the secret of \(name)"
        case .wrongSeed: "the seed is not 64 hexadecimal digits"
        case .wrongSignature(let name):
            "the token's signature by \(name) is not valid, so it was discarded"
        case .other(let result, let function):
            "the token reported error 0x\(String(result, radix: 16)) in \(function)"
        }
    }

    private static func list(_ texts: [String]) -> String {
        VisibleText.escaped(texts.joined(separator: ", "))
    }

    /// The remedy, if there is one.
    public var hint: String? {
        switch self {
        case .noModule: "name the module of your token with --module PATH"
        case .noToken(_, let present) where present.isEmpty: "insert a token and initialise it"
        case .noToken(_, let present): "there is: \(Self.list(present))"
        case .severalTokens(_, let serials): "name one with --serial: \(Self.list(serials))"
        case .removed: "insert it again"
        case .noPIN: "give the PIN with --pin-fd N"
        case .wrongPIN, .wrongPINWithOneTryLeft: "a token locks itself after some wrong PINs"
        case .pinLocked: "set a new PIN with the security officer's PIN"
        case .pinNotSet: "set the PIN with the tool of your token"
        case .unknownProtocol: "begin the name with near/ or algorand/"
        case .keyTwice: "delete one of them with the tool of your token"
        case .readable: "make a new key: the secret of this one may be known"
        case .noFunction, .noMechanism, .nameTaken, .noKey, .wrongSeed, .wrongSignature, .other:
            nil
        }
    }
}

extension KeyStoreError {
    /// Tells an error of the token to the hub, before a key was used.
    init(_ error: TokenError, about key: KeyID? = nil) {
        switch (error, key) {
        case (.noKey, .some(let key)): self = .unknownKey(key)
        case (.noPIN, _): self = .declined
        default: self = .unavailable(error.message)
        }
    }
}
