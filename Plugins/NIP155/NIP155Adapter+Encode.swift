// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension NIP155Adapter {
    /// Writes the callback URL that tells the client what became of its request.
    public func encode(_ outcome: Outcome, to request: NIP155Request) -> Reply {
        switch outcome {
        case .done(let results):
            do throws(Undeliverable) {
                return .message(Array(try success(results, to: request).utf8))
            } catch {
                return .undeliverable(error.reason)
            }
        case .denied(let reason), .failed(let reason):
            return request.callbacks.reply(to: WireFault(reason), for: configuration)
        }
    }

    /// Why results cannot be sent.
    private struct Undeliverable: Error {
        let reason: Reason

        static let failed = Self(reason: Reason(.keyFailed, "the results do not fit the request"))
        static let tooLarge = Self(
            reason: Reason(.undeliverable, "the result is too large for a callback"))
        static let notText = Self(reason: Reason(.undecryptable, "could not decrypt"))
    }

    private func success(
        _ results: [KeyResult], to request: NIP155Request
    ) throws(Undeliverable) -> String {
        guard let callback = request.callbacks.success, results.count == 1 else {
            throw .failed
        }
        var parameters = request.callbacks.id.map { [AnswerParameter("id", $0)] } ?? []
        parameters += try answer(results[0], to: request)
        let url = callback.url(adding: parameters, reserved: configuration.reservedNames)
        guard url.utf8.count <= configuration.limits.callbackBytesMax else {
            throw .tooLarge
        }
        return url
    }

    private func answer(
        _ result: KeyResult, to request: NIP155Request
    ) throws(Undeliverable) -> [AnswerParameter] {
        switch (request.asked, result) {
        case (.publicKey, .publicKey(let key)):
            return [
                AnswerParameter("pubkey", Hex.encode(key.span)),
                AnswerParameter("package", configuration.package),
            ]
        case (.sign(let template, let returnsEvent), .signature(let signature, let message)):
            // Without the event the client could not know what was signed.
            let isOwed = !template.isComplete || template.isKeyReplaced(by: request.account)
            var answer: [AnswerParameter] = []
            if !returnsEvent {
                answer.append(AnswerParameter("result", Hex.encode(signature.span)))
            }
            if returnsEvent || isOwed {
                let event = template.event.json(
                    id: message, publicKey: request.account.publicKey, signature: signature)
                answer += try packed("event", event, request.compression)
            }
            return answer
        case (.encrypt, .ciphertext(let payload)):
            return try packed("result", Base64.encode(payload.span), request.compression)
        case (.decrypt, .plaintext(let bytes)):
            guard let text = try? UTF8Text.decode(bytes.span) else { throw .notText }
            return try packed("result", text, request.compression)
        default:
            throw .failed
        }
    }

    private func packed(
        _ name: String, _ text: String, _ compression: Compression
    ) throws(Undeliverable) -> [AnswerParameter] {
        guard let packed = try? compression.pack(text) else { throw .failed }
        let value = AnswerParameter(name, packed)
        guard compression == .gzip else { return [value] }
        return [value, AnswerParameter("compressionType", compression.rawValue)]
    }
}

extension WireFault {
    /// The wire's words for a reason; texts of rules and of the vault stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied, .frozen: .permissionDenied
            case .personDenied: WireFault(.userCancelled, "declined")
            case .approvalTimedOut: WireFault(.userCancelled, "timed out")
            case .approvalUnavailable:
                WireFault(.permissionDenied, "approval_unavailable: nobody can be asked now")
            case .limitExceeded: WireFault(.rateLimited, "a limit is used up; try again later")
            case .undecryptable: .undecryptable
            case .keyUnavailable: WireFault(.notLoggedIn, "the key is locked or gone")
            case .domainRefused: .invalid("the key does not do this")
            case .invalidPeer: .invalid("pubkey is not a public key")
            case .undeliverable: WireFault(.payloadTooLarge, "the result is too large")
            case .unknownFact, .replayed, .policyChanged, .policyUnavailable,
                .ledgerUnavailable, .keyFailed:
                .failed
            }
    }
}
