// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// NEP-413 off-chain messages, asked for and answered as JSON.
public struct NEP413Adapter: ProtocolAdapter {
    /// The identity of the one domain of this adapter.
    public static let domainID = SigningDomain.ID("near/nep413")

    static let protocolID = ProtocolID("near")
    static let method = "sign_message"

    /// `nep413`.
    public let id = AdapterID("nep413")
    /// 64 KiB, twice the longest message.
    public let frameBytesMax = NEP413Limits.frameBytesMax

    /// Makes the adapter; it has no settings.
    public init() {}

    /// The facts of a message to be signed.
    public var schema: FactSchema { .nep413 }

    /// `near/nep413` and nothing else.
    public var domains: [SigningDomain] {
        [
            SigningDomain(
                id: Self.domainID, protocolID: Self.protocolID, algorithm: .ed25519,
                prehash: .sha256, prefix: NEP413Payload.prefix,
                isValid: { preimage, _ in NEP413Payload.isCanonical(preimage) })
        ]
    }

    /// Reads one request and chooses the account that is to sign it.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NEP413Request {
        var state: String?
        do throws(Refusal) {
            let members = try NEP413Members(frame, bytesMax: frameBytesMax)
            state = members.readableState
            return try NEP413Request(NEP413Wire(members), in: context)
        } catch {
            throw error.adapterError(state: state)
        }
    }

    /// Writes a SignedMessage, or an error with its code.
    public func encode(_ outcome: Outcome, to request: NEP413Request) -> Reply {
        switch outcome {
        case .done(let results):
            guard results.count == 1, case .signature(let signature, _) = results[0] else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            return .message(request.signedMessage(signature))
        case .denied(let reason), .failed(let reason):
            return Refusal(reason.code).reply(state: request.state)
        }
    }

    /// The refusal `payload_too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        Refusal.tooLarge("the request", bytesMax: frameBytesMax).adapterError(state: nil)
    }
}

extension NEP413Request {
    /// The answer: a SignedMessage as NEP-413 writes it.
    fileprivate func signedMessage(_ signature: [UInt8]) -> [UInt8] {
        var members: [JSONObject.Member] = [
            .init(name: "accountId", value: .string(account.address)),
            .init(name: "publicKey", value: .string(KeyText.ed25519(account.publicKey))),
            .init(name: "signature", value: .string(Base64.encode(signature.span))),
        ]
        if let state { members.append(.init(name: "state", value: .string(state))) }
        return JSON.object(JSONObject(members)).write()
    }
}
