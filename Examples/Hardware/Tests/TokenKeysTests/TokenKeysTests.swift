// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import NEAR
import SigningCore
import Testing

@testable import TokenKeys

/// Checks that need no token; Tests/Interop/hardware_peer.py tries the program with SoftHSM 2.
@Suite("Keys of a token")
struct TokenKeysTests {
    private static let publicKey = [UInt8](repeating: 7, count: 32)

    @Test("a public key is read with and without a DER octet string")
    func point() {
        #expect(ECPoint.publicKey(in: Self.publicKey) == Self.publicKey)
        #expect(ECPoint.publicKey(in: [0x04, 0x20] + Self.publicKey) == Self.publicKey)
        #expect(ECPoint.attribute(of: Self.publicKey) == [0x04, 0x20] + Self.publicKey)
    }

    @Test("a raw public key that begins like an octet string stays whole")
    func rawPoint() {
        let key = [0x04, 0x20] + Self.publicKey.dropLast(2)
        #expect(ECPoint.publicKey(in: key) == key)
    }

    @Test(
        "points of other curves and other encodings are not read",
        arguments: [
            [], [0x04, 0x20], [0x03, 0x20] + publicKey, [0x04, 0x1F] + publicKey,
            [0x04, 0x21] + publicKey + [7], [UInt8](repeating: 7, count: 57),
        ])
    func otherPoint(attribute: [UInt8]) {
        #expect(ECPoint.publicKey(in: attribute) == nil)
    }

    @Test("a label names the protocol and the key")
    func label() {
        let name = TokenKeyName("near/porter-1.a_B")
        #expect(name?.protocolID == .near)
        #expect(name?.name == "porter-1.a_B")
        #expect(name?.description == "near/porter-1.a_B")
    }

    @Test(
        "labels of other programs are not names",
        arguments: [
            "", "near", "near/", "/porter", "near/a/b", "NEAR/a", "near/a b", "near/\u{E9}",
            "near/" + String(repeating: "a", count: 65),
        ])
    func otherLabel(label: String) { #expect(TokenKeyName(label) == nil) }

    @Test(
        "an error of a token has words",
        arguments: [
            (CKR_PIN_INCORRECT, "the PIN of the token is wrong"),
            (CKR_PIN_LEN_RANGE, "the PIN of the token is wrong"),
            (CKR_PIN_LOCKED, "the PIN of the token is locked after too many wrong tries"),
            (CKR_USER_PIN_NOT_INITIALIZED, "the PIN of the token is not set or has expired"),
            (CKR_DEVICE_REMOVED, "the token was removed"),
            (CKR_TOKEN_NOT_PRESENT, "the token was removed"),
            (CKR_MECHANISM_INVALID, "the token does not sign with Ed25519 (CKM_EDDSA)"),
            (CKR_GENERAL_ERROR, "the token reported error 0x5 in C_Sign"),
        ] as [(UInt, String)])
    func words(result: UInt, text: String) {
        #expect(TokenError(CK_RV(result), during: "C_Sign")?.message == text)
    }

    @Test("success is not an error")
    func success() { #expect(TokenError(CK_RV(CKR_OK), during: "C_Sign") == nil) }

    @Test("the hub gets the words of an error, and a missing key as such")
    func errorsOfStore() {
        let key = KeyID("00")
        #expect(KeyStoreError(.pinLocked) == .unavailable(TokenError.pinLocked.message))
        #expect(KeyStoreError(.noPIN) == .declined)
        let name = TokenKeyName("near/a")
        #expect(name.map { KeyStoreError(.noKey($0), about: key) } == .unknownKey(key))
    }

    @Test("a missing module is named with the remedy")
    func missingModule() {
        let error = #expect(throws: TokenError.self) { try TokenModule(path: "/nowhere/none.so") }
        #expect(
            error?.message
                == "the module /nowhere/none.so cannot be loaded: cannot open shared object file: "
                + "No such file or directory")
        #expect(error?.hint == "name the module of your token with --module PATH")
    }

    @Test("a library that is not a module is refused")
    func otherLibrary() {
        let error = #expect(throws: TokenError.self) { try TokenModule(path: "libc.so.6") }
        #expect(
            error
                == .noModule(path: "libc.so.6", reason: "it is not a module of PKCS #11"))
    }
}
