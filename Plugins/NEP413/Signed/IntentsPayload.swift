// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCore

/// Signed payloads of NEAR Intents: one object, whose `standard` defines the kind of signature.
enum IntentsPayload {
    static let member = "standard"

    private static let names = [member, "payload", "public_key", "signature"]
    private static let standardBytesMax = 64
    private static let verified = "these standards can be verified: nep413, raw_ed25519 and sep53"

    static func statement(_ members: NEP413Members) throws(NEARRefusal) -> SignedStatement {
        let standard = try members.requiredText(member, bytesMax: standardBytesMax)
        if let problem = problem(with: standard) {
            throw NEARRefusal(.invalidRequest, "\(problem); \(verified)")
        }
        try members.requireOnly(names)
        let keyText = try members.requiredText("public_key", bytesMax: NEP413Limits.keyBytesMax)
        let key = try KeyText(reading: keyText)
        guard key.curve == .ed25519 else {
            throw .invalid("payloads of this standard are signed by ed25519 keys")
        }
        let signatureText = try members.requiredText(
            "signature", bytesMax: NEP413Limits.signatureBytesMax)
        let signature = try SignatureForm.read(signatureText, by: key.curve)
        if let standard = IntentsClaim.Standard(rawValue: standard) {
            let payload = try members.requiredText(
                "payload", bytesMax: MessageLimits.messageBytesMax)
            return IntentsClaim(
                standard: standard, payload: payload, key: key, signature: signature
            ).statement
        }
        guard let inner = try members.object("payload") else {
            throw .invalid("payload is missing")
        }
        try inner.requireOnly(["message", "nonce", "recipient", "callbackUrl"])
        let payload = try NEP413Payload(inner)
        return MessageClaim(
            payload: payload, accountID: IntentsClaim.signer(of: payload.message), network: nil,
            key: key, keyText: keyText, signature: signature
        ).statement(withVariants: false, page: nil)
    }

    /// Returns the reason that a standard is not supported; nil for supported standards.
    private static func problem(with standard: String) -> String? {
        switch standard {
        case "nep413", "raw_ed25519", "sep53": nil
        case "erc191", "tip191":
            "\(standard) hashes with Keccak-256, which cannot be verified here"
        case "webauthn": "webauthn is signed by a passkey, which cannot be verified here"
        case "ton_connect": "ton_connect signs in a form of TON, which cannot be verified here"
        default: "unknown standard of NEAR Intents"
        }
    }
}
