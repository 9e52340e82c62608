// SPDX-License-Identifier: Apache-2.0

public import NEAR
import SigningCodecs
public import SigningCore

extension NEARCourier {
    /// The amount by which each new block raises the upper bound of nonces.
    private static let noncesPerBlock: UInt64 = 1_000_000

    /// The maximum age of a node's answer if no person was asked, in seconds.
    private static let freshSecondsMax: Int64 = 20

    /// Looks up the values for a call; for messages, whether their key may sign them.
    ///
    /// The nonces are estimates of the next ones on the chain; the final ones are drawn at the
    /// signature.
    public func lookUp(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupError) -> NEARLookup {
        guard let view = try await look(need, in: context), !need.isOptional else {
            return NEARLookup(for: need, found: nil)
        }
        // The chain accepts no nonce at or above this bound, so a node that reports one is wrong.
        guard view.nonce < Self.ceiling(at: view.blockHeight) else {
            throw .failed(
                network: need.network, "the node names a nonce that the chain would refuse")
        }
        let memory = NEARKeyMemory(of: need.account, on: need.network, in: context)
        return NEARLookup(
            for: need,
            found: NEARLookup.Found(
                nonces: (0..<UInt64(need.nonceCount)).map { view.nonce + 1 + $0 },
                blockHash: view.blockHash, blockHeight: view.blockHeight,
                isNonceJump: memory.isJump(to: view.nonce), keyNonce: view.nonce,
                at: context.now))
    }

    /// Draws nonces above that of the key.
    ///
    /// If a person was asked meanwhile, asks the node again: the key may have been used elsewhere,
    /// and the chain has more blocks.
    public func renew(
        _ lookup: NEARLookup, in context: DecodingContext, hasWaited: Bool,
        drawingFrom serials: any LedgerSerials
    ) async throws(NEARLookupError) -> NEARLookup {
        guard var found = lookup.found else { return lookup }
        let age = context.now.seconds - found.time.seconds
        if hasWaited || !(0...Self.freshSecondsMax).contains(age) {
            guard let later = try await lookUp(lookup.need, in: context).found else {
                return lookup
            }
            found = later
        }
        let nonces = try await draw(lookup.need, found, from: serials)
        return NEARLookup(for: lookup.need, found: found.drawing(nonces))
    }

    private static func ceiling(at height: UInt64) -> UInt64 {
        let (ceiling, isOver) = height.multipliedReportingOverflow(by: noncesPerBlock)
        return isOver ? 0 : ceiling
    }

    /// Checks that the key exists and has the needed permissions.
    public func check(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupError) {
        _ = try await look(need, in: context)
    }

    /// Returns the key on the chain, if it has the needed permissions; nil if no lookup is needed.
    private func look(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupError) -> AccessKeyView? {
        guard let node = nodes[need.network] else {
            guard need.isOptional else { throw .noNode(network: need.network) }
            return nil
        }
        guard let view = try await view(need, at: node) else { return nil }
        for use in need.uses {
            if let reason = view.permission.refusal(of: use) { throw .notPermitted(reason) }
        }
        let memory = NEARKeyMemory(of: need.account, on: need.network, in: context)
        guard memory.isPlausible(atHeight: view.blockHeight, now: context.now) else {
            throw .failed(
                network: need.network,
                "the node names block \(view.blockHeight), which the chain cannot have reached yet")
        }
        return view
    }

    /// Returns the key on the chain.
    ///
    /// Nil for a message of an implicit account that does not exist on the chain yet.
    private func view(
        _ need: NEARLookupNeed, at node: NEARRPC
    ) async throws(NEARLookupError) -> AccessKeyView? {
        do throws(RPCError) {
            try await node.check(need.network)
            do throws(RPCError) {
                return try await node.accessKey(
                    account: need.account.address, publicKey: need.publicKey)
            } catch {
                guard need.isOptional, error.isAbsence else { throw error }
                guard need.account.address == Hex.encode(need.account.publicKey.span),
                    try await node.hasNoAccount(need.account.address)
                else { throw RPCError.unknownAccessKey }
                return nil
            }
        } catch {
            guard !error.isAbsence else { throw .notPermitted(error.text) }
            throw .failed(network: need.network, error.text)
        }
    }

    private func draw(
        _ need: NEARLookupNeed, _ found: NEARLookup.Found, from serials: any LedgerSerials
    ) async throws(NEARLookupError) -> [UInt64] {
        guard need.nonceCount > 0 else { return [] }
        do throws(LedgerError) {
            let first = try await serials.drawSerials(
                need.nonceCount, in: need.series, above: found.keyNonce,
                below: Self.ceiling(at: found.blockHeight))
            return (0..<UInt64(need.nonceCount)).map { first + $0 }
        } catch {
            throw .failed(
                network: need.network,
                "no nonce is available: the store of nonces cannot be written, or is full")
        }
    }
}

extension RPCError {
    /// True if the chain does not have the key or the account.
    var isAbsence: Bool { self == .unknownAccessKey || self == .unknownAccount }
}

extension NEARRPC {
    /// Returns true if the account does not exist on the chain yet.
    func hasNoAccount(_ id: String) async throws(RPCError) -> Bool {
        do throws(RPCError) {
            _ = try await account(id)
            return false
        } catch {
            guard error == .unknownAccount else { throw error }
            return true
        }
    }
}

extension AccessKeyPermission {
    /// Returns the reason that the permissions do not allow a use; nil if they do.
    func refusal(of use: NEARKeyUse) -> String? {
        switch (self, use) {
        case (.fullAccess, _), (.gasKeyFullAccess, .message): nil
        case (.functionCall, .message), (.gasKeyFunctionCall, .message):
            "the key may only call a contract, and a message speaks for the whole account"
        case (.functionCall, .anything):
            "the key may only call a contract, without a deposit, one call at a time"
        case (.functionCall(let receiver, let methods, _), .call(let called, let method)):
            UTF8Text.isSame(receiver, called)
                && (methods.isEmpty || methods.contains { UTF8Text.isSame($0, method) })
                ? nil : "the key may only call another contract, or other methods of this one"
        case (.gasKeyFullAccess, _), (.gasKeyFunctionCall, _):
            "it is a gas key, whose version of transactions is not supported"
        }
    }
}
