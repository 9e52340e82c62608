// SPDX-License-Identifier: Apache-2.0

public import NEAR
import SigningCodecs
public import SigningCore

extension NEARCourier {
    /// By how much a new block raises the bound of nonces.
    private static let noncesPerBlock: UInt64 = 1_000_000

    /// What a call needs; for messages, that their key may sign them.
    public func lookUp(
        _ need: NEARLookupNeed, in context: DecodingContext, drawingFrom book: any LedgerSerials
    ) async throws(NEARLookupFailure) -> NEARLookup {
        guard let view = try await look(need, in: context), !need.isOptional else {
            return NEARLookup(for: need, found: nil)
        }
        let memory = NEARKeyMemory(of: need.account, on: need.network, in: context)
        return NEARLookup(
            for: need,
            found: NEARLookup.Found(
                nonces: try await draw(need, view, from: book), blockHash: view.blockHash,
                blockHeight: view.blockHeight, isNonceJump: memory.isJump(to: view.nonce)))
    }

    /// That the key is there and may do what is asked.
    public func check(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupFailure) {
        _ = try await look(need, in: context)
    }

    /// The key as the chain has it, if it may do what is asked; nil where nobody has to be asked.
    private func look(
        _ need: NEARLookupNeed, in context: DecodingContext
    ) async throws(NEARLookupFailure) -> AccessKeyView? {
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
    ) async throws(NEARLookupFailure) -> AccessKeyView? {
        do throws(RPCError) {
            let chain = try await node.chainID()
            guard chain == need.network else {
                throw RPCError.malformed("the node is on another network")
            }
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
        _ need: NEARLookupNeed, _ view: AccessKeyView, from book: any LedgerSerials
    ) async throws(NEARLookupFailure) -> [UInt64] {
        // The chain takes no nonce at or above this; a node that names one is wrong, or worse.
        let (ceiling, isOver) = view.blockHeight.multipliedReportingOverflow(
            by: Self.noncesPerBlock)
        guard !isOver, view.nonce < ceiling else {
            throw .failed(
                network: need.network, "the node names a nonce that its chain would not take")
        }
        guard need.nonceCount > 0 else { return [] }
        do throws(LedgerError) {
            let first = try await book.drawSerials(
                need.nonceCount, in: need.series, above: view.nonce, below: ceiling)
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
