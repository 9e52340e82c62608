// SPDX-License-Identifier: Apache-2.0

import NEAR
public import NEARCourier
import NEP413
import SigningCodecs
public import SigningCore

/// Checks messages that others signed by NEP-413: what a back end has to do before it believes one.
public struct MessageVerifier: Sendable {
    /// What one message has to meet beyond its signature.
    public struct Demands: Sendable {
        /// The only recipient it may be for.
        public var recipient: String?
        /// A callbackUrl that the wallet may have signed without telling.
        public var page: String?
        /// Whether it counts as well where the wallet signed no callbackUrl, or an empty one,
        /// whatever stands in the message: somebody may have put it there later.
        public var isAnyCallback = false
        /// The age of a nonce that carries its time, in seconds; nil asks for no time.
        public var ageSecondsMax: Int64?
        /// Whether it counts once.
        public var isOnce = true

        /// Demands nothing but the signature, and that it comes once.
        public init() {}
    }

    /// Why a message is not believed.
    public enum VerificationError: Error, Hashable, Sendable {
        /// It cannot be read.
        case malformed(String)
        /// No reading of it carries this signature.
        case wrongSignature
        /// It is for somebody else.
        case wrongRecipient
        /// Its nonce carries a time that is too long ago, or has not come.
        case notFresh
        /// It was accepted before.
        case replayed
        /// The key is not the account's, or may not do everything.
        case keyNotOnChain(String)
        /// It could not be checked whether it was accepted before, or whose the key is.
        case unavailable(String)
    }

    /// A message that may be believed.
    public struct Verified: Hashable, Sendable {
        /// The account, if the message names one; the signature does not cover it.
        public let accountID: String?
        /// The key that signed.
        public let publicKey: String
        /// Which callbackUrl was signed: `as given`, `callbackUrl left out` and the like.
        public let variant: String
        /// What is known of whose the key is.
        public let ownership: Ownership
    }

    /// What is known of whose a key is.
    public enum Ownership: String, Hashable, Sendable {
        /// The account is the message's word; nobody was asked.
        case claimed
        /// The account's name is the key's own; nobody was asked whether it still has the key.
        case ownName = "own_name"
        /// The chain has the key as one of the account's that may do everything.
        case onChain = "on_chain"
        /// The chain has no such account yet, and its name is the key's own.
        case implicit
    }

    /// How far a clock may be ahead of ours, in seconds.
    public static let aheadSecondsMax: Int64 = 60

    private let accepted: (any AcceptedMessages)?
    private let node: (rpc: NEARRPC, network: String)?
    private let environment: any HubEnvironment
    private let reading: @Sendable (SignedStatement) -> String?

    /// Makes a verifier.
    ///
    /// `reading` names the reading under which a statement's signatures hold, nil for none;
    /// without `node`, which has to be on the network named, nobody is asked whose the key is.
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

    /// Checks one message: signature, recipient, age, key, and last that it comes once.
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

    /// Key and recipient tell whose nonces they are; the account is not signed.
    private func acceptOnce(_ signed: SignedMessage, at now: Timestamp) throws(VerificationError) {
        guard let accepted else { throw .unavailable("nothing keeps what was accepted before") }
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
                ? .replayed : .unavailable("what was accepted before cannot be read")
        }
    }

    /// Only a key that may do everything speaks for an account (NEP-413, NEP-641).
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
            throw .keyNotOnChain("the key may not do everything for the account")
        }
    }

    /// An account that does not exist yet is its key's, if its name says so.
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
