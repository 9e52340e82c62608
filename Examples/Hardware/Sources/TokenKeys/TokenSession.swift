// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import SigningCore
import SigningCrypto

/// A session with a token, closed at the end of its life; one thread at a time uses it.
///
/// A login counts for all sessions of the process with the token.
final class TokenSession: Sendable {
    private let handle: CK_SESSION_HANDLE
    private let token: Token

    init(_ handle: CK_SESSION_HANDLE, of token: Token) {
        self.handle = handle
        self.token = token
    }

    deinit { try? token.module.call("C_CloseSession") { $0.C_CloseSession?(handle) } }

    private func call(
        _ name: String, _ body: (CK_FUNCTION_LIST, CK_SESSION_HANDLE) -> CK_RV?
    ) throws(TokenError) {
        try token.module.call(name) { body($0, handle) }
    }

    /// True if the session still exists and the user is logged in.
    var isLoggedIn: Bool {
        var info = CK_SESSION_INFO()
        do throws(TokenError) {
            _ = try token.current()
            try call("C_GetSessionInfo") { unsafe $0.C_GetSessionInfo?($1, &info) }
        } catch {
            return false
        }
        return [CKS_RO_USER_FUNCTIONS, CKS_RW_USER_FUNCTIONS].contains { UInt($0) == info.state }
    }

    /// Logs the user in; the PIN is lent to the module and not copied here.
    func logIn(pin: borrowing SecretBytes) throws(TokenError) {
        do throws(TokenError) {
            try pin.withSpan { (pin) throws(TokenError) in
                try unsafe pin.withUnsafeBufferPointer { (pin) throws(TokenError) in
                    let start = unsafe UnsafeMutablePointer(mutating: pin.baseAddress)
                    try call("C_Login") {
                        unsafe $0.C_Login?($1, CK_USER_TYPE(CKU_USER), start, CK_ULONG(pin.count))
                    }
                }
            }
        } catch .other(let result, _) where result == CK_RV(CKR_USER_ALREADY_LOGGED_IN) {
            return
        } catch {
            guard error == .wrongPIN, let now = try? token.current() else { throw error }
            if now.isLocked { throw .pinLocked }
            throw now.hasOneTryLeft ? .wrongPINWithOneTryLeft : .wrongPIN
        }
    }

    func logOut() throws(TokenError) { try call("C_Logout") { $0.C_Logout?($1) } }

    /// Returns the objects with these attributes.
    func find(_ attributes: Attributes) throws(TokenError) -> [CK_OBJECT_HANDLE] {
        try unsafe attributes.lend { (list, count) throws(TokenError) in
            try call("C_FindObjectsInit") { unsafe $0.C_FindObjectsInit?($1, list, count) }
        }
        defer { try? call("C_FindObjectsFinal") { $0.C_FindObjectsFinal?($1) } }
        var found: [CK_OBJECT_HANDLE] = []
        while true {
            var some = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
            var count: CK_ULONG = 0
            try call("C_FindObjects") {
                unsafe $0.C_FindObjects?($1, &some, CK_ULONG(some.count), &count)
            }
            guard count > 0 else { return found }
            found += some.prefix(Int(count))
        }
    }

    /// Returns the value of an attribute.
    func bytes(of object: CK_OBJECT_HANDLE, _ type: UInt) throws(TokenError) -> [UInt8] {
        // No attribute that is read here is longer.
        var value = [UInt8](repeating: 0, count: 1024)
        var count = 0
        var span = value.mutableSpan
        try unsafe span.withUnsafeMutableBytes { (value) throws(TokenError) in
            var attribute = unsafe CK_ATTRIBUTE(
                type: CK_ATTRIBUTE_TYPE(type), pValue: value.baseAddress,
                ulValueLen: CK_ULONG(value.count))
            try call("C_GetAttributeValue") {
                unsafe $0.C_GetAttributeValue?($1, object, &attribute, 1)
            }
            count = unsafe Int(clamping: attribute.ulValueLen)
        }
        return Array(value.prefix(count))
    }

    /// Makes an object; `secret` is the seed of a private key.
    func make(
        _ attributes: Attributes, secret: UnsafeRawBufferPointer? = nil
    ) throws(TokenError) -> CK_OBJECT_HANDLE {
        var made: CK_OBJECT_HANDLE = 0
        try unsafe attributes.lend(secret: secret) { (list, count) throws(TokenError) in
            try call("C_CreateObject") { unsafe $0.C_CreateObject?($1, list, count, &made) }
        }
        return made
    }

    /// Makes a key on the token.
    func makePair(
        _ publicHalf: Attributes, _ privateHalf: Attributes
    ) throws(TokenError) -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        var mechanism = unsafe CK_MECHANISM(
            mechanism: CK_MECHANISM_TYPE(CKM_EC_EDWARDS_KEY_PAIR_GEN), pParameter: nil,
            ulParameterLen: 0)
        var made: (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
        try unsafe publicHalf.lend { (first, firstCount) throws(TokenError) in
            try unsafe privateHalf.lend { (second, secondCount) throws(TokenError) in
                try call("C_GenerateKeyPair") {
                    unsafe $0.C_GenerateKeyPair?(
                        $1, &mechanism, first, firstCount, second, secondCount, &made.0, &made.1)
                }
            }
        }
        return made
    }

    func delete(_ object: CK_OBJECT_HANDLE) throws(TokenError) {
        try call("C_DestroyObject") { $0.C_DestroyObject?($1, object) }
    }

    /// Signs a message; the caller verifies the signature.
    func sign(_ message: [UInt8], by key: CK_OBJECT_HANDLE) throws(TokenError) -> [UInt8] {
        var mechanism = unsafe CK_MECHANISM(
            mechanism: CK_MECHANISM_TYPE(CKM_EDDSA), pParameter: nil, ulParameterLen: 0)
        try call("C_SignInit") { unsafe $0.C_SignInit?($1, &mechanism, key) }
        var message = message
        var signature = [UInt8](repeating: 0, count: Ed25519Key.scheme.signatureCount)
        var count = CK_ULONG(signature.count)
        try call("C_Sign") {
            unsafe $0.C_Sign?($1, &message, CK_ULONG(message.count), &signature, &count)
        }
        return Array(signature.prefix(Int(clamping: count)))
    }
}
