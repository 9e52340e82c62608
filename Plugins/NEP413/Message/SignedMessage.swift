// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// A NEP-413 message with its signature, as somebody sent it; nothing of it is checked yet.
public struct SignedMessage: Sendable {
    /// The account that is said to have signed.
    public let accountID: String?
    /// The key that did, as `ed25519:` or `secp256k1:` and Base58.
    public let publicKey: String
    /// Whom the message is bound to.
    public let recipient: String
    /// 32 bytes.
    public let nonce: [UInt8]
    /// What it says, and its signature with every reading that is asked for.
    public let statement: SignedStatement

    /// Whether the account is the implicit account of the key.
    public let isImplicit: Bool

    /// The time in a nonce whose first eight bytes are milliseconds, as near-kit makes them.
    public var nonceTime: Timestamp {
        let milliseconds = nonce.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Timestamp(seconds: Int64(clamping: milliseconds / 1_000))
    }

    /// Reads the members of a message together with those of its SignedMessage, in one object.
    ///
    /// `page` is a callbackUrl that the wallet may have signed without telling; with variants it
    /// may have signed none, or an empty one.
    public init(
        _ bytes: Span<UInt8>, page: String? = nil, withVariants: Bool = false
    ) throws(StatementError) {
        do throws(NEARRefusal) {
            let own = try NEP413Members(bytes, bytesMax: NEP413Limits.messageFrameBytesMax)
            let members = own.adding([
                .init(name: "callbackVariants", value: .bool(withVariants)),
                .init(name: "pageUrl", value: page.map { .string($0) } ?? .null),
            ])
            let payload = try NEP413Payload(members)
            accountID = try members.optionalAccountID("accountId")
            let key = try members.key()
            publicKey = key.text
            recipient = payload.recipient
            nonce = payload.nonce
            isImplicit = key.curve == .ed25519 && accountID == Hex.encode(key.bytes.span)
            statement = try NEP413Adapter.statement(members)
        } catch {
            throw StatementError(error.text)
        }
    }
}

extension NEP413Members {
    /// The same with members of the verifier's own in place of the sender's.
    fileprivate func adding(_ members: [JSONObject.Member]) -> NEP413Members {
        NEP413Members(JSONObject(rest(without: members.map(\.name)) + members))
    }
}
