// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// A complete example protocol to copy: an account signs a short note.
public struct TemplateAdapter: ProtocolAdapter {
    /// The id of the only domain that its keys sign for.
    public static let domainID = SigningDomain.ID("template/note")

    static let protocolID = ProtocolID("template")
    static let method = "sign_note"

    /// The name of the adapter on the command line.
    public let id = AdapterID("template")
    /// The maximum size of a frame, in bytes; longer frames never reach `decode`.
    public let frameBytesMax = 4_096

    /// Creates the adapter; it has no settings.
    public init() {}

    /// The facts and dangers that rules may name.
    public var schema: FactSchema {
        FactSchema(
            protocolID: Self.protocolID, methods: [Self.method],
            fields: [
                FactField(
                    "text.bytes", .integer, boundsRefusals: true,
                    note: "The length of the note in UTF-8.")
            ],
            dangers: [])
    }

    /// The domains that keys may sign for.
    public var domains: [SigningDomain] {
        [
            SigningDomain(
                id: Self.domainID, protocolID: Self.protocolID, algorithm: .ed25519,
                prehash: .none, prefix: Note.prefix,
                isValid: { preimage, _ in Note(preimage: preimage) != nil })
        ]
    }

    /// Reads one request.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> TemplateRequest {
        do throws(Refusal) {
            let wire = try TemplateWire(frame)
            return TemplateRequest(wire.note, by: try wire.account(among: context.accounts))
        } catch {
            throw error.adapterError
        }
    }

    /// Writes one answer.
    public func encode(_ outcome: Outcome, to request: TemplateRequest) -> Reply {
        switch outcome {
        case .done(let results):
            guard results.count == 1, case .signature(let signature, _) = results[0] else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            let answer: JSON = ["signature": .string(Hex.encode(signature.span))]
            return .message(answer.write())
        case .denied(let reason), .failed(let reason):
            return Refusal(reason.code).reply
        }
    }

    /// Returns the refusal of a frame that is too long.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        Refusal(.tooLong).adapterError
    }
}
