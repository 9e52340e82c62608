// SPDX-License-Identifier: Apache-2.0

public import NEP413
import SigningCodecs
public import SigningCore
public import SigningNetwork

/// Takes wallet calls through a hub, with what NEAR nodes have to say before and after.
///
/// Lookups come before the request is decoded, broadcasts after its answer is on record; in
/// between nothing is asked of anybody.
public struct NEARCourier: Sendable {
    let hub: SigningHub
    let adapter: NEP413Adapter
    /// The nodes by network.
    let nodes: [String: NEARRPC]

    /// Puts a courier together; without a node for a network its calls are answered offline.
    public init(
        hub: SigningHub, adapter: NEP413Adapter, nodes: [String: NEARRPC]
    ) {
        self.hub = hub
        self.adapter = adapter
        self.nodes = nodes
    }

    /// Answers one frame, as the hub does.
    public func answer(_ frame: Frame) async -> Answer {
        if let parts = SplitSignIn(frame) { return await answer(parts) }
        let context = hub.context(of: frame, for: NEP413Adapter.protocolID)
        guard let need = adapter.lookups(for: frame.bytes.span, in: context) else {
            return await hub.answer(frame, with: adapter)
        }
        let lookups: NEARLookups
        do throws(CourierError) {
            lookups = try await lookUp(need)
        } catch {
            return .refused(adapter.refuseLookups(error.text))
        }
        let prepared = Frame(
            bytes: frame.bytes, attachment: lookups.attachment, origin: frame.origin)
        let answer = await hub.answer(prepared, with: adapter)
        guard case .broadcast(let broadcast) = answer.reply else { return answer }
        return answer.completed(by: await deliver(broadcast))
    }

    /// By how much a new block raises the bound of nonces.
    private static let noncesPerBlock: UInt64 = 1_000_000

    /// The nonces are drawn from the book in the ledger, which all callers share.
    private func lookUp(_ need: NEARLookupNeed) async throws(CourierError) -> NEARLookups {
        guard let node = nodes[need.network] else {
            throw CourierError(
                "no RPC URL is configured for \(need.network), and this call needs a node")
        }
        let view: AccessKeyView
        do throws(RPCError) {
            let chain = try await node.chainID()
            guard chain == need.network else {
                throw RPCError.malformed("the node is on another network")
            }
            view = try await node.accessKey(
                account: need.account.address, publicKey: need.publicKey)
        } catch {
            throw CourierError("looking up the key on \(need.network) failed: \(error.text)")
        }
        return NEARLookups(
            nonces: try draw(need, view), blockHash: view.blockHash,
            blockHeight: view.blockHeight)
    }

    private func draw(
        _ need: NEARLookupNeed, _ view: AccessKeyView
    ) throws(CourierError) -> [UInt64] {
        // The chain takes no nonce at or above this; a node that names one is wrong, or worse.
        let (ceiling, isOver) = view.blockHeight.multipliedReportingOverflow(
            by: Self.noncesPerBlock)
        guard !isOver, view.nonce < ceiling else {
            throw CourierError("the node names a nonce that its chain would not take")
        }
        guard need.nonceCount > 0 else { return [] }
        do throws(LedgerError) {
            let first = try hub.ledger.drawSerials(
                need.nonceCount, in: need.series, above: view.nonce, below: ceiling)
            return (0..<UInt64(need.nonceCount)).map { first + $0 }
        } catch {
            throw CourierError("no nonce can be drawn: the book cannot be written, or is full")
        }
    }
}

/// Why a call cannot be prepared.
struct CourierError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
