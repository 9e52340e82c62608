// SPDX-License-Identifier: Apache-2.0

public import NEAR
import SigningCodecs
public import SigningCore

extension NEARCourier {
    /// By how much a new block raises the bound of nonces.
    private static let noncesPerBlock: UInt64 = 1_000_000

    /// How long what a node said is taken for fresh where nobody was waited for, in seconds.
    private static let freshSecondsMax: Int64 = 20

    /// What a call needs; for messages, that their key may sign them.
    ///
    /// The nonces are those that come next on the chain; they are drawn when they are used.
    public func lookUp(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupError) -> NEARLookup {
        guard let view = try await look(need, in: context), !need.isOptional else {
            return NEARLookup(for: need, found: nil)
        }
        // The chain takes no nonce at or above this; a node that names one is wrong, or worse.
        guard view.nonce < Self.ceiling(at: view.blockHeight) else {
            throw .failed(
                network: need.network, "the node names a nonce that its chain would not take")
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

    /// Draws the nonces, above that of the key; asks the node again where somebody was waited for,
    /// as the key may have been used elsewhere meanwhile, and heights have passed.
    public func renew(
        _ lookup: NEARLookup, in context: DecodingContext, hasWaited: Bool,
        drawingFrom book: any LedgerSerials
    ) async throws(NEARLookupError) -> NEARLookup {
        guard var found = lookup.found else { return lookup }
        let age = context.now.seconds - found.time.seconds
        if hasWaited || !(0...Self.freshSecondsMax).contains(age) {
            guard let later = try await lookUp(lookup.need, in: context).found else {
                return lookup
            }
            found = later
        }
        let nonces = try await draw(lookup.need, found, from: book)
        return NEARLookup(for: lookup.need, found: found.drawing(nonces))
    }

    private static func ceiling(at height: UInt64) -> UInt64 {
        let (ceiling, isOver) = height.multipliedReportingOverflow(by: noncesPerBlock)
        return isOver ? 0 : ceiling
    }

    /// That the key is there and may do what is asked.
    public func check(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupError) {
        _ = try await look(need, in: context)
    }

    /// The key as the chain has it, if it may do what is asked; nil where nobody has to be asked.
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
        guard memory.canBe(atHeight: view.blockHeight, now: context.now) else {
            throw .failed(
                network: need.network,
                "the node names block \(view.blockHeight), further than its chain can have come")
        }
        return view
    }

    /// The key as the chain has it; nil where a message is of an account that the chain has not
    /// seen yet, and whose name is the key's own.
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
        _ need: NEARLookupNeed, _ found: NEARLookup.Found, from book: any LedgerSerials
    ) async throws(NEARLookupError) -> [UInt64] {
        guard need.nonceCount > 0 else { return [] }
        do throws(LedgerError) {
            let first = try await book.drawSerials(
                need.nonceCount, in: need.series, above: found.keyNonce,
                below: Self.ceiling(at: found.blockHeight))
            return (0..<UInt64(need.nonceCount)).map { first + $0 }
        } catch {
            throw .failed(
                network: need.network,
                "no nonce can be drawn: the book cannot be written, or is full")
        }
    }
}

extension RPCError {
    /// Whether the chain has no such key or account.
    var isAbsence: Bool { self == .unknownAccessKey || self == .unknownAccount }
}

extension NEARRPC {
    /// Whether the chain has not seen an account yet.
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
    /// Why the chain does not let a key be used so; nil where it does.
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
            "it is a gas key, whose transactions are of a version that is not signed here"
        }
    }
}
