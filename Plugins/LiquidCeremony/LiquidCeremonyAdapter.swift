// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore

/// The two ceremonies by which Liquid Auth logs an account in, with a new passkey or a known one.
///
/// A transport of ours asks, and posts what it is answered.
public struct LiquidCeremonyAdapter: ProtocolAdapter {
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

    /// Makes the adapter, which shares the vocabulary of Algorand's other wires.
    public init(_ schema: FactSchema) { self.schema = schema }

    /// Reads one ceremony; what a server must not ask for is refused.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> LiquidCeremonyRequest {
        do throws(LiquidRefusal) {
            return try LiquidCeremonyRequest(try LiquidCeremonyWire(frame), in: context)
        } catch {
            throw error.adapterError
        }
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
