// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// A message with its claimed signature; neither is verified.
package struct MessageClaim {
    package let payload: NEP413Payload
    /// The account id; the signature covers neither this nor the network.
    package let accountID: String?
    package let network: String?
    package let key: KeyText
    /// The key in its original text.
    package let keyText: String
    /// The signature, and the other readings of its text.
    package let signature: (first: [UInt8], others: [[UInt8]])

    package init(
        payload: NEP413Payload, accountID: String?, network: String?, key: KeyText,
        keyText: String, signature: (first: [UInt8], others: [[UInt8]])
    ) {
        self.payload = payload
        self.accountID = accountID
        self.network = network
        self.key = key
        self.keyText = keyText
        self.signature = signature
    }

    /// True if the account is the implicit account of the key.
    package var isImplicit: Bool { accountID.map { KeyOwner($0, key) } == .thisKey }

    /// Returns the statement to verify, with the requested readings.
    package func statement(withVariants: Bool, page: String?) -> SignedStatement {
        let readings = readings(withVariants: withVariants, page: page)
        let claim = SignatureClaim(
            signer: accountID ?? keyText, scheme: key.curve.scheme, publicKey: key.bytes,
            signature: signature.first,
            readings: readings
                + signature.others.flatMap { other in
                    readings.map { $0.with(other) }
                },
            statedMessage: nil)
        // Without an account, the signature is only that of the key.
        let author = accountID.map { StatementAuthor(near: $0, key) }
        return SignedStatement(
            summary: summary, signatures: [claim],
            authors: [author ?? StatementAuthor(key.text, key: .ownKey)])
    }

    /// Returns the payload as given and, only if requested, its known variants.
    ///
    /// Some wallets sign another callbackUrl than the client sees. The reader must learn which
    /// variant matched, because the callback is part of the signed content.
    private func readings(withVariants: Bool, page: String?) -> [SignatureClaim.Reading] {
        var readings = [Self.reading("as given", payload)]
        if let page, page != payload.callbackURL {
            readings.append(Self.reading("callbackUrl of the page", payload.withCallback(page)))
        }
        guard withVariants else { return readings }
        if payload.callbackURL != nil {
            readings.append(Self.reading("callbackUrl left out", payload.withCallback(nil)))
        }
        if payload.callbackURL != "" {
            readings.append(Self.reading("callbackUrl empty", payload.withCallback("")))
        }
        return readings
    }

    private static func reading(
        _ name: String, _ payload: NEP413Payload
    ) -> SignatureClaim.Reading {
        SignatureClaim.Reading(name: name, preimage: payload.preimage, prehash: .sha256)
    }

    private var summary: Summary {
        let owner = accountID.map { KeyOwner($0, key) }
        var lines: [Summary.Line] = []
        if let accountID { lines.append(.init("account", accountID, by: .client)) }
        if owner == .thisKey { lines.append(.init("account is", "implicit account of this key")) }
        if let network { lines.append(.init("network", network, by: .client)) }
        lines.append(.init("key", keyText, by: .client))
        return Summary(
            title: "NEP-413 message, signed", lines: lines + payload.summaryLines(isOwn: false),
            warnings: owner.map { [$0.warning] } ?? [])
    }
}

extension StatementAuthor {
    /// Creates a NEAR account as author; the signed content names no network.
    init(near accountID: String, _ key: KeyText) {
        let seen: Key =
            switch KeyOwner(accountID, key) {
            case .thisKey: .ownKey
            case .anotherKey: .other
            case .unknown: .unknown
            }
        self.init(accountID, key: seen)
    }
}

/// The owner of an account, as far as its id shows.
enum KeyOwner {
    case thisKey, anotherKey, unknown

    /// Compares the key with the id: an implicit account id is the first key in hexadecimal digits.
    init(_ accountID: String, _ key: KeyText) {
        guard let implicit = try? Hex.decode(accountID), implicit.count == 32 else {
            self = .unknown
            return
        }
        self = key.curve == .ed25519 && key.bytes == implicit ? .thisKey : .anotherKey
    }

    /// The warning that only the chain knows the keys: they are added to and removed from accounts.
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
    /// Returns a copy with another reading of the text of the signature.
    fileprivate func with(_ signature: [UInt8]) -> Self {
        Self(name: name, preimage: preimage, prehash: prehash, signature: signature)
    }
}
