// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningDigests

extension LiquidCeremonyRequest {
    /// Returns the body for the server, or the address that it may learn.
    ///
    /// Nil if the results do not match the request.
    func body(of results: [KeyResult]) -> JSON? {
        switch wire.ceremony {
        case .introduce:
            guard results.count == operations.count else { return nil }
            return ["address": .string(account.address)]
        case .register:
            guard results.count == 2, case .signature(let signature, _) = results[0],
                case .passkey(let publicKey) = results[1]
            else { return nil }
            return registration(signature, publicKey)
        case .login:
            guard results.count == 1, case .signature(let signature, _) = results[0], let passkey
            else { return nil }
            return login(signature, passkey)
        }
    }

    private func registration(_ signature: [UInt8], _ publicKey: [UInt8]) -> JSON {
        let credential = Digest.sha256(publicKey.span)
        let data = PasskeyData.attestation(
            host: options.host, credential: credential, publicKey: publicKey)
        let clientData = PasskeyData.clientData(
            .create, challenge: options.challengeText, origin: wire.origin.text)
        return body(
            credential,
            liquid: [
                "type": "algorand", "requestId": requestID, "origin": .string(wire.origin.text),
                "address": .string(account.address), "signature": Self.base64(signature),
                "device": .string(wire.device),
            ],
            response: [
                "clientDataJSON": Self.base64(clientData),
                "attestationObject": Self.base64(PasskeyData.attestationObject(data)),
            ], more: [.init(name: "device", value: .string(wire.device))])
    }

    private func login(_ signature: [UInt8], _ passkey: Passkey) -> JSON {
        let clientData = PasskeyData.clientData(
            .get, challenge: options.challengeText, origin: wire.origin.text)
        return body(
            passkey.credential, liquid: ["requestId": requestID],
            response: [
                "clientDataJSON": Self.base64(clientData),
                "authenticatorData": Self.base64(PasskeyData.assertion(host: options.host)),
                "signature": Self.base64(PasskeyData.der(signature)),
            ])
    }

    private func body(
        _ credential: [UInt8], liquid: JSON, response: JSON, more: [JSONObject.Member] = []
    ) -> JSON {
        let id = Self.base64(credential)
        let members: [JSONObject.Member] = [
            .init(name: "id", value: id), .init(name: "type", value: "public-key"),
            .init(name: "rawId", value: id),
            .init(name: "clientExtensionResults", value: ["liquid": liquid]),
            .init(name: "response", value: response),
        ]
        return .object(JSONObject(members + more))
    }

    /// The id in the form that apps of 2024 compare: a number below one.
    private var requestID: JSON {
        let digits = wire.requestID.dropFirst(2)
        let isNumber =
            wire.requestID.hasPrefix("0.") && (1...20).contains(digits.utf8.count)
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? .number(wire.requestID) : .string(wire.requestID)
    }

    private static func base64(_ bytes: [UInt8]) -> JSON {
        .string(Base64.encode(bytes.span, alphabet: .url, padding: false))
    }
}
