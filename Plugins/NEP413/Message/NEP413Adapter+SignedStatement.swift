// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension NEP413Adapter: SignedStatementReader {
    private static let statementNames = [
        "message", "recipient", "nonce", "callbackUrl", "state", "accountId", "network",
        "publicKey", "signature", "callbackVariants", "pageUrl",
    ]

    /// Takes a message and its SignedMessage, in one object, apart; or a signed transaction or
    /// delegate action in Base64, by itself or in the answer to a call.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        do throws(NEARRefusal) {
            if let statement = try signedBorsh(bytes) { return statement }
            return try Self.statement(NEP413Members(bytes, bytesMax: frameBytesMax))
        } catch {
            throw StatementError(error.text)
        }
    }

    static func statement(_ members: NEP413Members) throws(NEARRefusal) -> SignedStatement {
        try members.requireOnly(statementNames)
        let payload = try NEP413Payload(members)
        let accountID = try members.optionalAccountID("accountId")
        let network = try members.network()
        let keyText = try members.requiredText("publicKey", bytesMax: NEP413Limits.keyBytesMax)
        let key = try KeyText(reading: keyText)
        let signatureText = try members.requiredText(
            "signature", bytesMax: NEP413Limits.signatureBytesMax)
        let signature = try SignatureForm.read(signatureText, by: key.curve)
        let readings = readings(
            payload, withVariants: try members.flag("callbackVariants"),
            page: try members.text("pageUrl", bytesMax: NEP413Limits.callbackBytesMax))
        let claim = SignatureClaim(
            signer: accountID ?? keyText, scheme: key.curve.scheme, publicKey: key.bytes,
            signature: signature.first,
            readings: readings
                + signature.others.flatMap { other in
                    readings.map { $0.with(other) }
                },
            statedMessage: nil)
        return SignedStatement(
            summary: summary(
                payload, accountID: accountID, network: network, key: key, keyText: keyText),
            signatures: [claim])
    }

    /// The payload as given and, only where the caller asks for them, its known variants.
    ///
    /// Some wallets sign another callbackUrl than their client knows of; which one matched
    /// must be told, because the callback is part of what is signed.
    private static func readings(
        _ payload: NEP413Payload, withVariants: Bool, page: String?
    ) -> [SignatureClaim.Reading] {
        var readings = [reading("as given", payload)]
        if let page, page != payload.callbackURL {
            readings.append(reading("callbackUrl of the page", payload.withCallback(page)))
        }
        guard withVariants else { return readings }
        if payload.callbackURL != nil {
            readings.append(reading("callbackUrl left out", payload.withCallback(nil)))
        }
        if payload.callbackURL != "" {
            readings.append(reading("callbackUrl empty", payload.withCallback("")))
        }
        return readings
    }

    private static func reading(
        _ name: String, _ payload: NEP413Payload
    ) -> SignatureClaim.Reading {
        SignatureClaim.Reading(name: name, preimage: payload.preimage, prehash: .sha256)
    }

    private static func summary(
        _ payload: NEP413Payload, accountID: String?, network: String?, key: KeyText,
        keyText: String
    ) -> Summary {
        let owner = accountID.map { Owner(accountID: $0, key: key) }
        var lines: [Summary.Line] = []
        if let accountID { lines.append(.init("account", accountID, by: .client)) }
        if owner == .thisKey { lines.append(.init("account is", "implicit account of this key")) }
        if let network { lines.append(.init("network", network, by: .client)) }
        lines.append(.init("key", keyText, by: .client))
        return Summary(
            title: "NEP-413 message, signed", lines: lines + payload.summaryLines,
            warnings: owner.map { [$0.warning] } ?? [])
    }
}

/// Whose account it is, as far as its id tells.
private enum Owner {
    case thisKey, anotherKey, unknown

    /// An implicit account is its first Ed25519 key in hexadecimal digits.
    init(accountID: String, key: KeyText) {
        guard let implicit = try? Hex.decode(accountID), implicit.count == 32 else {
            self = .unknown
            return
        }
        self = key.curve == .ed25519 && key.bytes == implicit ? .thisKey : .anotherKey
    }

    /// What only the chain can tell: keys are added to accounts and taken from them.
    var warning: String {
        let open =
            switch self {
            case .thisKey: "whether the account still has the key"
            case .anotherKey:
                "the account is the implicit account of another key; whether it has this one too"
            case .unknown: "whether the key belongs to the account"
            }
        return open + " can only be seen on the chain"
    }
}

extension NEP413Payload {
    fileprivate func withCallback(_ callbackURL: String?) -> NEP413Payload {
        var payload = self
        payload.callbackURL = callbackURL
        return payload
    }
}

extension SignatureClaim.Reading {
    /// The same with another meaning of the signature's text.
    fileprivate func with(_ signature: [UInt8]) -> Self {
        Self(name: name, preimage: preimage, prehash: prehash, signature: signature)
    }
}
