// SPDX-License-Identifier: Apache-2.0

public import Algorand
import SigningCodecs
public import SigningCore

/// The two ceremonies by which Liquid Auth logs an account in, with a new passkey or a known one,
/// and what comes before them: that the server may be told which account it is.
///
/// A transport of ours asks, and posts what it is answered.
public struct LiquidCeremonyAdapter: LooksUp {
    /// The name on the command line.
    public let id = AdapterID("liquid")
    /// The vocabulary of its chain.
    public let schema: FactSchema
    /// The challenge that an account signs, and what its passkeys do.
    public var domains: [SigningDomain] { [.liquidChallenge, .liquidAssertion] }
    /// The member that says which ceremony it is.
    public var marks: FrameMarks { FrameMarks(members: [["liquid"]]) }
    /// 128 KiB.
    public var frameBytesMax: Int { LiquidCeremonyWire.frameBytesMax }

    /// The networks that have a node, which is asked which key signs for an account.
    private let networks: [AlgorandNetwork]

    /// Makes the adapter, which shares the vocabulary of Algorand's other wires; without a node an
    /// account's own key signs for it.
    public init(_ schema: FactSchema, askingNodesOf networks: [AlgorandNetwork] = []) {
        self.schema = schema
        self.networks = networks
    }

    /// Reads one ceremony.
    public func read(_ frame: Span<UInt8>) throws(AdapterError) -> LiquidCeremonyWire {
        do throws(LiquidRefusal) { return try LiquidCeremonyWire(frame) } catch {
            throw error.adapterError
        }
    }

    /// Which key signs for the account, where its network has a node; nobody is asked about an
    /// account that is not held, or for what is refused anyway.
    public func need(
        of wire: LiquidCeremonyWire, in context: DecodingContext
    ) throws(AdapterError) -> AlgorandLookup.Need? {
        do throws(LiquidRefusal) {
            let request = try LiquidCeremonyRequest(wire, by: nil, in: context)
            let networks = networks(of: request)
            return networks.isEmpty ? nil : .authority(of: wire.address, on: networks)
        } catch {
            throw error.adapterError(to: wire, in: context)
        }
    }

    /// What server and node must not ask for is refused.
    public func decode(
        _ wire: LiquidCeremonyWire, with lookup: AlgorandLookup?, in context: DecodingContext
    ) throws(AdapterError) -> LiquidCeremonyRequest {
        var authority: AlgorandAuthority?
        if case .authority(let found)? = lookup { authority = found }
        do throws(LiquidRefusal) {
            let own = try LiquidCeremonyRequest(wire, by: nil, in: context)
            let networks = networks(of: own)
            guard !networks.isEmpty else {
                guard wire.ceremony != .introduce,
                    let signer = try own.account.watchedSigner(among: context.accounts)
                else { return own }
                return try LiquidCeremonyRequest(wire, by: signer, isOwnersWord: true, in: context)
            }
            // In between the account may have become another network's.
            guard let authority, authority.account == wire.address, authority.networks == networks
            else { throw LiquidRefusal(.node, "no node was asked which key signs for the account") }
            guard let signer = try authority.signer(of: own.account, among: context.accounts)
            else { return own }
            return try LiquidCeremonyRequest(wire, by: signer, in: context)
        } catch {
            throw error.adapterError(
                to: wire, in: context,
                detail: error.code == .node ? authority?.problems ?? [] : [])
        }
    }

    /// The account's own key stands for whatever a node would say.
    public func standIn(for need: AlgorandLookup.Need) -> AlgorandLookup? {
        guard case .authority(of: let account, on: let networks) = need else { return nil }
        return .authority(
            AlgorandAuthority(
                of: account, on: networks,
                signers: networks.map { AlgorandAuthority.Signer(on: $0, account) },
                problems: []))
    }

    /// The networks whose nodes say which key signs; none where nothing is signed.
    private func networks(of request: LiquidCeremonyRequest) -> [AlgorandNetwork] {
        guard request.wire.ceremony != .introduce else { return [] }
        return networks.filter { $0.serves(accountNetwork: request.account.network) }
    }

    /// Writes the body that is posted to the server, or why there is none.
    public func encode(_ outcome: Outcome, to request: LiquidCeremonyRequest) -> Reply {
        switch outcome {
        case .done(let results):
            guard let body = request.body(of: results) else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            return .message(body.write())
        case .denied(let reason), .failed(let reason): return LiquidRefusal(reason).reply
        }
    }

    /// The refusal `too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        LiquidRefusal(.tooLarge, "a frame has at most \(frameBytesMax) bytes").adapterError
    }
}
