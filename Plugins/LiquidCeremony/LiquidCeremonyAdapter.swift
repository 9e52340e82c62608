// SPDX-License-Identifier: Apache-2.0

public import Algorand
import SigningCodecs
public import SigningCore

/// The two ceremonies in which an account logs in at a Liquid Auth server, and the introduction.
///
/// A ceremony registers a new passkey or uses a known one. Before it, the introduction asks if the
/// server may learn the account. A Countersign transport sends the requests and posts the answers.
public struct LiquidCeremonyAdapter: LooksUp {
    /// The name of the adapter on the command line.
    public let id = AdapterID.liquid
    /// The facts and dangers of Algorand.
    public let schema: FactSchema
    /// The challenge that an account signs, and the data that passkeys sign.
    public var domains: [SigningDomain] { [.liquidChallenge, .liquidAssertion] }
    /// The member that names the ceremony.
    public var marks: FrameMarks { FrameMarks(members: [["liquid"]]) }
    /// The maximum size of a frame, 128 KiB.
    public var frameBytesMax: Int { LiquidCeremonyWire.frameBytesMax }

    /// Reads the networks with a node, which is asked for the key that signs for an account.
    private let networks: @Sendable () -> [AlgorandNetwork]

    /// Creates the adapter with the schema of Algorand's other wires.
    ///
    /// Without a node, the key of the account itself signs for it.
    public init(
        _ schema: FactSchema,
        askingNodesOf networks: @autoclosure @escaping @Sendable () -> [AlgorandNetwork] = []
    ) {
        self.schema = schema
        self.networks = networks
    }

    /// Reads one request.
    public func read(_ frame: Span<UInt8>) throws(AdapterError) -> LiquidCeremonyWire {
        do throws(LiquidRefusal) { return try LiquidCeremonyWire(frame) } catch {
            throw error.adapterError
        }
    }

    /// Returns the question for the key that signs for the account, if its network has a node.
    ///
    /// Nil for an account that is not held, and for a request that is refused anyway.
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

    /// Creates the request; throws if the server's options or the node's answer are not acceptable.
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
                return try LiquidCeremonyRequest(
                    wire, by: signer, isNamedByOwner: true, in: context)
            }
            // The account may have been moved to another network in the meantime.
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

    /// Returns a placeholder for the answer of a node: the key of the account itself.
    public func placeholder(for need: AlgorandLookup.Need) -> AlgorandLookup? {
        guard case .authority(of: let account, on: let networks) = need else { return nil }
        return .authority(
            AlgorandAuthority(
                of: account, on: networks,
                signers: networks.map { AlgorandAuthority.Signer(on: $0, account) },
                problems: []))
    }

    /// Returns the networks whose nodes say which key signs; empty if nothing is signed.
    private func networks(of request: LiquidCeremonyRequest) -> [AlgorandNetwork] {
        guard request.wire.ceremony != .introduce else { return [] }
        return networks().filter { $0.serves(accountNetwork: request.account.network) }
    }

    /// Writes the body that is posted to the server, or the refusal.
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

    /// Returns the refusal `too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        LiquidRefusal(.tooLarge, "a frame has at most \(frameBytesMax) bytes").adapterError
    }
}

extension AdapterID {
    /// The wire of logins with Liquid Auth.
    public static let liquid = AdapterID("liquid")
}
