// SPDX-License-Identifier: Apache-2.0

public import NEAR
import SigningCodecs
public import SigningCore

/// A NEAR wallet with the calls of near-connect, answered as JSON.
///
/// It handles NEP-413 messages, sessions, transactions and delegate actions.
public struct NEP413Adapter: LooksUp {
    /// The name of the adapter, `nep413`.
    public let id = AdapterID.nep413
    /// Bare messages, and calls of a wallet.
    public let marks = FrameMarks(members: [["message", "recipient"], ["method", "params"]])
    /// The maximum size of a frame, 6 MiB: a transaction of 4 MiB in Base64 and its envelope.
    public let frameBytesMax = NEP413Limits.frameBytesMax
    private let networks: [String]

    /// Creates the adapter; `added` are the names of networks besides mainnet and testnet.
    public init(networks added: [String] = []) { networks = NEARNetwork.names + added }

    /// The facts of messages and transactions.
    public var schema: FactSchema { .near }

    /// Messages, transactions of version 0 and delegate actions of version 1.
    public var domains: [SigningDomain] { SigningDomain.near }

    /// Reads one request completely.
    public func read(_ frame: Span<UInt8>) throws(AdapterError) -> NEP413Frame {
        var state: String?
        do throws(NEARRefusal) {
            let members = try NEP413Members(
                frame, bytesMax: frameBytesMax, networks: networks)
            state = members.readableState ?? (try? members.object("params"))?.readableState
            return try NEP413Frame(members, bytes: frame.count, state: state)
        } catch {
            throw error.adapterError(state: state)
        }
    }

    /// Returns the question for a node, and the account it is about.
    public func need(
        of frame: NEP413Frame, in context: DecodingContext
    ) throws(AdapterError) -> NEARLookupNeed? {
        guard let lookups = frame.call.lookups else { return nil }
        do throws(NEARRefusal) {
            let need = try NEARLookupNeed(
                lookups.clientContext, nonceCount: lookups.nonceCount, uses: lookups.uses,
                in: context)
            // A node is not asked if the session could not be opened anyway.
            if let need, case .signIn = frame.call {
                _ = try NEARRequest.opening(need.account, on: need.network, in: context)
            }
            return need
        } catch {
            throw error.adapterError(to: frame)
        }
    }

    /// Chooses the signing account and creates the data to sign.
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

    /// Returns the refusal of a call whose lookup failed; it does not mention the node.
    public func refuse(_ failure: NEARLookupError) -> AdapterError {
        let (refusal, detail) = failure.refusal
        let error = refusal.adapterError(state: nil)
        return AdapterError(
            code: error.code, reason: ([error.reason] + detail).joined(separator: ": "),
            reply: error.reply)
    }

    /// Returns a placeholder for nonce and block, if the call needs them.
    public func placeholder(for need: NEARLookupNeed) -> NEARLookup? {
        NEARLookup(placeholderFor: need)
    }

    /// Returns the refusal `payload_too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        NEARRefusal.tooLarge("the request", bytesMax: frameBytesMax).adapterError(state: nil)
    }
}

extension AdapterID {
    /// The wire of calls of NEAR wallets.
    public static let nep413 = AdapterID("nep413")
}

extension NEP413Adapter {
    /// Splits a call that signs in, signs a message and adds a key; the message comes first.
    public func decisions(
        in frame: NEP413Frame
    ) -> (first: NEP413Frame, second: NEP413Frame)? { frame.decisions }

    /// Returns the account of `signIn` with the signed message; nil if the accounts differ.
    public func joined(_ message: [UInt8], _ signIn: [UInt8]) -> [UInt8]? {
        guard let signed = (try? JSON.parse(message.span))?["result"],
            let account = (try? JSON.parse(signIn.span))?["result"]?.list?.first?.object,
            account["accountId"] == signed["accountId"]
        else { return nil }
        let members = account.members + [.init(name: "signedMessage", value: signed)]
        let json: JSON = ["result": [.object(JSONObject(members))]]
        return json.write()
    }
}
