// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// Everything in an answer except its result.
struct ARC27Answer: Hashable {
    let form: ARC27Wire.Form
    let requestID: String
    let method: String
    let responseID: String
    /// The id of this provider, or the constant that the request carried instead.
    var providerID: String

    init(to envelope: ARC27Envelope, freshID: [UInt8], providerID: String) {
        form = envelope.form
        requestID = envelope.id
        method = envelope.method
        responseID = UUIDText.version4(freshID)
        self.providerID = providerID
    }

    /// Returns the frame with a result.
    func reply(result: JSON) -> Reply {
        let bytes = frame("result", result)
        guard bytes.count <= ARC27Wire.frameBytesMax else {
            return .undeliverable(
                Reason(.undeliverable, "the answer is larger than one frame"))
        }
        return .message(bytes)
    }

    /// Returns the frame with an error.
    func reply(_ failure: AlgorandRefusal) -> Reply {
        var error = JSONObject([
            .init(name: "code", value: .integer(failure.kind.code)),
            .init(name: "message", value: .string(failure.message)),
        ])
        if let data = failure.data { error.members.append(.init(name: "data", value: data)) }
        error.members.append(.init(name: "providerId", value: .string(providerID)))
        return .message(frame("error", .object(error)))
    }

    private func frame(_ name: String, _ value: JSON) -> [UInt8] {
        let envelope = JSON.object(
            JSONObject([
                .init(name: "id", value: .string(responseID)),
                .init(
                    name: "reference", value: .string(ARC27Wire.responseReference(of: method))),
                .init(name: "requestId", value: .string(requestID)),
                .init(name: name, value: value),
            ]))
        switch form {
        case .json: return envelope.write()
        case .cbor:
            let bytes = CBOR(envelope).encode()
            return [UInt8](Base64.encode(bytes.span, alphabet: .url, padding: false).utf8)
        }
    }
}
