// SPDX-License-Identifier: Apache-2.0

public import NEAR
import SigningCodecs
public import SigningCore

/// A NEAR wallet: NEP-413 messages, sessions, transactions and delegate actions, asked for as
/// near-connect asks and answered as JSON.
public struct NEP413Adapter: LooksUp {
    /// `nep413`.
    public let id = AdapterID("nep413")
    /// Messages as they are alone, and calls of a wallet.
    public let marks = FrameMarks(members: [["message", "recipient"], ["method", "params"]])
    /// 6 MiB: a transaction of 4 MiB in Base64, and what stands around it.
    public let frameBytesMax = NEP413Limits.frameBytesMax

    /// Makes the adapter.
    public init() {}

    /// The facts of messages and transactions.
    public var schema: FactSchema { .near }

    /// Messages, transactions of version 0, delegate actions of version 1, and nothing else.
    public var domains: [SigningDomain] { SigningDomain.near }

    /// Reads one request, whole.
    public func read(_ frame: Span<UInt8>) throws(AdapterError) -> NEP413Frame {
        var state: String?
        do throws(NEARRefusal) {
            let members = try NEP413Members(frame, bytesMax: frameBytesMax)
            state = members.readableState ?? (try? members.object("params"))?.readableState
            return try NEP413Frame(members, bytes: frame.count, state: state)
        } catch {
            throw error.adapterError(state: state)
        }
    }

    /// What a node has to be asked, and for which account.
    public func need(
        of frame: NEP413Frame, in context: DecodingContext
    ) throws(AdapterError) -> NEARLookupNeed? {
        guard let lookups = frame.call.lookups else { return nil }
        do throws(NEARRefusal) {
            let need = try NEARLookupNeed(
                lookups.clientContext, nonceCount: lookups.nonceCount, uses: lookups.uses,
                in: context)
            // Nothing is asked for a session that nobody could open.
            if let need, case .signIn = frame.call {
                _ = try NEARRequest.opening(need.account, on: need.network, in: context)
            }
            return need
        } catch {
            throw error.adapterError(to: frame)
        }
    }

    /// Chooses the account that is to sign, and makes what it signs.
    public func decode(
        _ frame: NEP413Frame, with lookup: NEARLookup?, in context: DecodingContext
    ) throws(AdapterError) -> NEP413Request {
        do throws(NEARRefusal) {
            return try NEP413Request(
                frame, in: NEARContext(hub: context, lookup: lookup))
        } catch {
            throw error.adapterError(to: frame)
        }
    }

    /// The refusal of a call whose lookup failed, in the wire's own format; the client is not
    /// told of the node.
    public func refuse(_ failure: NEARLookupError) -> AdapterError {
        let (refusal, detail) = failure.refusal
        let error = refusal.adapterError(state: nil)
        return AdapterError(
            code: error.code, reason: ([error.reason] + detail).joined(separator: ": "),
            reply: error.reply)
    }

    /// Nonce and block stand for others where a call needs them.
    public func standIn(for need: NEARLookupNeed) -> NEARLookup? { NEARLookup(madeUpFor: need) }

    /// The refusal `payload_too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NEARRefusal.tooLarge("the request", bytesMax: frameBytesMax).adapterError(state: nil)
    }
}
