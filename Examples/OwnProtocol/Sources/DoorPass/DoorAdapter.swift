// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The wire for door passes: JSON requests and JSON answers.
public struct DoorAdapter: ProtocolAdapter {
    static let protocolID = ProtocolID("door")
    static let domainID = SigningDomain.ID("door/pass")
    static let method = "make_pass"
    static let anyDoor = Danger("any_door")

    /// The name of the adapter on the command line.
    public let id = AdapterID("doorpass")
    /// The members that identify a frame of this wire.
    public let marks = FrameMarks(members: [["door", "until"]])
    /// The maximum size of a frame, in bytes; longer frames never reach `decode`.
    public let frameBytesMax = DoorWire.frameBytesMax

    /// Creates the adapter; it has no settings.
    public init() {}

    /// The facts and dangers that rules may name.
    public var schema: FactSchema {
        FactSchema(
            protocolID: Self.protocolID, methods: [Self.method],
            fields: [
                FactField("door", .text, boundsRefusals: true, note: "The door; * is any."),
                FactField(
                    "minutes", .integer, varies: .upTo,
                    note: "How long the pass opens it from now, begun minutes too."),
                FactField("until", .time, varies: .free, note: "When the pass ends."),
            ], dangers: [Self.anyDoor])
    }

    /// The domains that keys may sign for.
    public var domains: [SigningDomain] {
        [
            SigningDomain(
                id: Self.domainID, protocolID: Self.protocolID, algorithm: .door,
                prehash: .sha384, prefix: Pass.prefix,
                isValid: { preimage, _ in Pass(preimage: preimage) != nil })
        ]
    }

    /// Reads one request.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> DoorRequest {
        do throws(Refusal) {
            let pass = try DoorWire(frame, now: context.now).pass
            guard let account = context.accounts.first, context.accounts.count == 1 else {
                throw .noKey
            }
            return DoorRequest(pass, by: account, now: context.now)
        } catch {
            throw error.adapterError
        }
    }

    /// Writes one answer.
    public func encode(_ outcome: Outcome, to request: DoorRequest) -> Reply {
        switch outcome {
        case .done(let results):
            guard results.count == 1, case .signature(let signature, _) = results[0] else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            let answer: JSON = [
                "pass": .string(Hex.encode(request.pass.preimage.span)),
                "signature": .string(Hex.encode(signature.span)),
            ]
            return .message(answer.write())
        case .denied(let reason), .failed(let reason):
            return Refusal(reason.code).reply
        }
    }

    /// Returns the refusal of a frame that is too long.
    public func refuseOversize(frameBytes _: Int) -> AdapterError { Refusal.malformed.adapterError }
}
