// SPDX-License-Identifier: Apache-2.0

package import NEAR
import SigningCodecs
public import SigningCore

/// A NEAR wallet: NEP-413 messages, sessions, transactions and delegate actions, asked for as
/// near-connect asks and answered as JSON.
public struct NEP413Adapter: ProtocolAdapter {
    /// `nep413`.
    public let id = AdapterID("nep413")
    /// 6 MiB: a transaction of 4 MiB in Base64, and what stands around it.
    public let frameBytesMax = NEP413Limits.frameBytesMax
    /// What a transport looked up, 4 KiB.
    public let attachmentBytesMax = NEP413Limits.lookupsBytesMax

    let sha256: SHA256

    /// Makes the adapter; `sha256` gives a digest of 32 bytes.
    public init(sha256: @escaping @Sendable (Span<UInt8>) -> [UInt8]) {
        self.sha256 = sha256
    }

    /// The facts of messages and transactions.
    public var schema: FactSchema { .near }

    /// Messages, transactions of version 0, delegate actions of version 1, and nothing else.
    public var domains: [SigningDomain] { SigningDomain.near }

    /// Reads one request and chooses the account that is to sign it.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NEP413Request {
        var state: String?
        do throws(NEARRefusal) {
            let members = try NEP413Members(frame, bytesMax: frameBytesMax)
            state = members.readableState ?? (try? members.object("params"))?.readableState
            let lookups = try context.attachment.map { (bytes) throws(NEARRefusal) in
                try NEARLookups(bytes)
            }
            return try NEP413Request(
                NEP413Frame(members, bytes: frame.count),
                in: NEARContext(hub: context, lookups: lookups, sha256: sha256))
        } catch {
            throw error.adapterError(state: state)
        }
    }

    /// What has to be looked up before a frame is decoded; nil where nothing has, and where the
    /// frame will be refused anyway.
    package func lookups(
        for frame: Span<UInt8>, in context: DecodingContext
    ) -> NEARLookupNeed? {
        guard let members = try? NEP413Members(frame, bytesMax: frameBytesMax),
            let read = try? NEP413Frame(members, bytes: frame.count),
            let need = read.lookups,
            let account = try? need.caller.account(in: context),
            let network = try? need.caller.network(or: account)
        else { return nil }
        return NEARLookupNeed(
            account: account, network: network, nonceCount: need.nonceCount, uses: need.uses)
    }

    /// The refusal of a frame that is wrong whatever is looked up for it, before anything is
    /// signed that only has a meaning together with it; nil where it may be right.
    package func refusal(
        of frame: Span<UInt8>, in context: DecodingContext
    ) -> AdapterError? {
        do throws(NEARRefusal) {
            let members = try NEP413Members(frame, bytesMax: frameBytesMax)
            guard case .call(let call) = try NEP413Frame(members, bytes: frame.count),
                let need = call.lookups
            else { return nil }
            let account = try need.caller.account(in: context)
            let network = try need.caller.network(or: account)
            if case .signIn = call {
                _ = try NEARRequest.opening(account, on: network, in: context)
            }
            return nil
        } catch {
            return error.adapterError(state: nil)
        }
    }

    /// The refusal of a call whose lookups failed, in the wire's own format; the client is not
    /// told of the node.
    package func refuse(_ failure: NEARLookupFailure) -> AdapterError {
        let (refusal, detail) = failure.refusal
        let error = refusal.adapterError(state: nil)
        return AdapterError(
            code: error.code, reason: ([error.reason] + detail).joined(separator: ": "),
            reply: error.reply)
    }

    /// The refusal `payload_too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NEARRefusal.tooLarge("the request", bytesMax: frameBytesMax).adapterError(state: nil)
    }
}
