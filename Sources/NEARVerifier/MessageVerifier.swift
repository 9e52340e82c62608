// SPDX-License-Identifier: Apache-2.0

import NEAR
public import NEARCourier
import NEP413
import SigningCodecs
public import SigningCore

/// Verifies messages that others signed by NEP-413, as a back end must before it trusts a message.
public struct MessageVerifier: Sendable {
    /// The conditions for a message beyond its signature.
    public struct Demands: Sendable {
        /// The only permitted recipient; nil for any.
        public var recipient: String?
        /// A callbackUrl that the wallet may have signed without including it.
        public var page: String?
        /// True if a signature without a callbackUrl, or with an empty one, is accepted as well.
        ///
        /// The callbackUrl in the message is then not covered by the signature.
        public var isAnyCallback = false
        /// The greatest age of a nonce that contains its time, in seconds; nil to skip the check.
        public var ageSecondsMax: Int64?
        /// True if a message is accepted only once.
        public var isOnce = true

        /// Demands only the signature, and that the message was not accepted before.
        public init() {}
    }

    /// The reasons that a message is rejected.
    public enum VerificationError: Error, Hashable, Sendable {
        /// The message cannot be read; the text says why.
        case malformed(String)
        /// The signature is not valid for any reading of the message.
        case wrongSignature
        /// The message names another recipient than the verifier expects.
        case wrongRecipient
        /// The time in the nonce is too long ago, or in the future.
        case notFresh
        /// The message was accepted before.
        case replayed
        /// The key is not a full-access key of the account.
        case keyNotOnChain(String)
        /// An earlier acceptance or the owner of the key could not be checked.
        case unavailable(String)
    }

    /// A verified message.
    public struct Verified: Hashable, Sendable {
        /// The account, if the message names one; the signature does not cover it.
        public let accountID: String?
        /// The key that signed.
        public let publicKey: String
        /// The reading for which the signature is valid, which tells the signed callbackUrl:
        /// `as given`, `callbackUrl left out` and others.
        public let variant: String
        /// The evidence that the key belongs to the account.
        public let ownership: Ownership
    }

    /// The evidence that a key belongs to an account.
    public enum Ownership: String, Hashable, Sendable {
        /// The message claims the account; the chain was not asked.
        case claimed
        /// The account's name is derived from the key; the chain was not asked whether the account
        /// still has the key.
        case ownName = "own_name"
        /// The chain lists the key as a full-access key of the account.
        case onChain = "on_chain"
        /// The account does not exist yet, and its name is derived from the key.
        case implicit
    }

    /// The most that the signer's clock may be ahead, in seconds.
    public static let aheadSecondsMax: Int64 = 60

    private let accepted: (any AcceptedMessages)?
    private let node: (rpc: NEARRPC, network: String)?
    private let environment: any HubEnvironment
    private let reading: @Sendable (SignedStatement) -> String?

    /// Makes a verifier.
    ///
    /// `reading` returns the name of the reading under which a statement's signatures are valid, or
    /// nil. Without `node`, which must be on the given network, the key's owner is not checked.
    public init(
        accepted: (any AcceptedMessages)?, node: (rpc: NEARRPC, network: String)?,
        environment: any HubEnvironment,
        reading: @escaping @Sendable (SignedStatement) -> String?
    ) {
        self.accepted = accepted
        self.node = node
        self.environment = environment
        self.reading = reading
    }

    /// Checks one message: signature, recipient, age, key, and last that it was not accepted
    /// before.
    public func verify(
        _ message: [UInt8], _ demands: Demands = Demands()
    ) async throws(VerificationError) -> Verified {
        let signed = try Self.read(message)
        let statement = signed.claim.statement(
            withVariants: demands.isAnyCallback, page: demands.page)
        guard let variant = reading(statement) else { throw .wrongSignature }
        if let recipient = demands.recipient, recipient != signed.claim.payload.recipient {
            throw .wrongRecipient
        }
        let now = environment.now()
        if let age = demands.ageSecondsMax {
            let time = signed.nonceTime.seconds
            guard time <= now.seconds + Self.aheadSecondsMax, now.seconds - time <= age else {
                throw .notFresh
            }
        }
        let ownership = try await ownership(of: signed)
        if demands.isOnce { try acceptOnce(signed, at: now) }
        return Verified(
            accountID: signed.claim.accountID, publicKey: signed.claim.key.text, variant: variant,
            ownership: ownership)
    }

    private static func read(
        _ message: [UInt8]
    ) throws(VerificationError) -> SignedMessage {
        do throws(StatementError) {
            return try SignedMessage(message.span)
        } catch {
            throw .malformed(error.reason)
        }
    }

    /// Records the nonce under key and recipient, because the signature does not cover the account.
    private func acceptOnce(_ signed: SignedMessage, at now: Timestamp) throws(VerificationError) {
        guard let accepted else { throw .unavailable("no store of accepted messages was given") }
        let mark = JSON.array([
            .string("nep413"), .string(signed.claim.key.text),
            .string(signed.claim.payload.recipient),
            .string(Hex.encode(signed.claim.payload.nonce.span)),
        ]).write()
        do throws(LedgerError) {
            guard try accepted.accept(environment.sha256(mark.span), at: now) else {
                throw LedgerError.replayed
            }
        } catch {
            throw error == .replayed
                ? .replayed : .unavailable("the store of accepted messages cannot be read")
        }
    }

    /// Returns the evidence for the key; only full-access keys speak for an account (NEP-413,
    /// NEP-641).
    private func ownership(of signed: SignedMessage) async throws(VerificationError) -> Ownership {
        guard let node else { return signed.claim.isImplicit ? .ownName : .claimed }
        guard let account = signed.claim.accountID else {
            throw .keyNotOnChain("the message names no account")
        }
        let permission: AccessKeyPermission
        do throws(RPCError) {
            try await node.rpc.check(node.network)
            permission = try await node.rpc.accessKey(
                account: account, publicKey: signed.claim.key.text
            ).permission
        } catch {
            guard error == .unknownAccessKey || error == .unknownAccount else {
                throw .unavailable(error.text)
            }
            return try await absent(signed, account, at: node.rpc)
        }
        switch permission {
        case .fullAccess, .gasKeyFullAccess: return .onChain
        case .functionCall, .gasKeyFunctionCall:
            throw .keyNotOnChain("the key has no full access to the account")
        }
    }

    /// Returns the evidence for an account that does not exist yet; throws unless its name is
    /// derived from the key.
    private func absent(
        _ signed: SignedMessage, _ account: String, at node: NEARRPC
    ) async throws(VerificationError) -> Ownership {
        let refusal = VerificationError.keyNotOnChain("the account has no such key")
        guard signed.claim.isImplicit else { throw refusal }
        do throws(RPCError) {
            _ = try await node.account(account)
        } catch {
            guard error == .unknownAccount else { throw .unavailable(error.text) }
            return .implicit
        }
        throw refusal
    }
}
