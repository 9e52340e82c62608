// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// A text for NEAR Intents with its claimed signature; neither is verified.
package struct IntentsClaim {
    /// The standards whose payload is one text, signed with Ed25519.
    package enum Standard: String {
        /// The text itself, as Solana wallets sign it.
        case rawEd25519 = "raw_ed25519"
        /// A prefix and the text, hashed, as Stellar wallets sign it.
        case sep53
    }

    let standard: Standard
    let payload: String
    let key: KeyText
    let signature: (first: [UInt8], others: [[UInt8]])

    package init(
        standard: Standard, payload: String, key: KeyText,
        signature: (first: [UInt8], others: [[UInt8]])
    ) {
        self.standard = standard
        self.payload = payload
        self.key = key
        self.signature = signature
    }

    /// Returns the account that a payload names as signer; nil if it names no account.
    package static func signer(of payload: String) -> String? {
        guard let id = (try? JSON.parse(payload.utf8.span))?["signer_id"]?.text,
            NEARAccountID.isValid(id)
        else { return nil }
        return id
    }

    /// The payload and its signature in the form in which a statement is verified and shown.
    package var statement: SignedStatement {
        let account = Self.signer(of: payload)
        let claim = SignatureClaim(
            signer: account ?? key.text, scheme: .ed25519, publicKey: key.bytes,
            signature: signature.first,
            readings: [reading(nil)] + signature.others.map { reading($0) }, statedMessage: nil)
        let author = account.map { StatementAuthor(near: $0, key) }
        return SignedStatement(
            summary: summary(account), signatures: [claim],
            authors: [author ?? StatementAuthor(key.text, key: .ownKey)])
    }

    private func reading(_ signature: [UInt8]?) -> SignatureClaim.Reading {
        switch standard {
        case .rawEd25519:
            .init(
                name: "as given", preimage: Array(payload.utf8), prehash: .none,
                signature: signature)
        case .sep53:
            .init(
                name: "as given", preimage: Array("Stellar Signed Message:\n\(payload)".utf8),
                prehash: .sha256, signature: signature)
        }
    }

    private func summary(_ account: String?) -> Summary {
        var lines: [Summary.Line] = []
        if let account { lines.append(.init("account", account, by: .client)) }
        lines.append(.init("key", key.text, by: .client))
        lines.append(.init("payload", payload, by: .client))
        lines += IntentsFinding(recipient: "", message: payload).lines(isOwn: false)
        let open =
            account.map { KeyOwner($0, key).warning }
            ?? "the payload has no account: it is valid for the key alone"
        return Summary(
            title: "Payload for NEAR Intents, signed by \(standard.rawValue)", lines: lines,
            warnings: [open])
    }
}
