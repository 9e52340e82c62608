// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import Nostr
import SigningCodecs
public import SigningCore

extension NIP155Adapter: GrantsWishes {
    /// Writes the callback URL with the result of a request.
    public func encode(_ outcome: Outcome, to request: NIP155Request) -> Reply {
        encode(outcome, to: request, granted: [])
    }

    /// Writes the callback URL with the result and the granted permissions.
    public func encode(
        _ outcome: Outcome, to request: NIP155Request, granted: [Int]
    ) -> Reply {
        switch outcome {
        case .done(let results):
            do throws(Undeliverable) {
                return try success(results, to: request, granted)
            } catch {
                return .undeliverable(error.reason)
            }
        case .denied(let reason), .failed(let reason):
            return request.callbacks.reply(to: NIP155Refusal(reason), for: configuration)
        }
    }

    /// The reason that results cannot be sent.
    private struct Undeliverable: Error {
        let reason: Reason

        static let failed = Self(reason: Reason(.keyFailed, "the results do not fit the request"))
        static let tooLarge = Self(
            reason: Reason(.undeliverable, "the result is too large for a callback"))
        static let notText = Self(reason: Reason(.undecryptable, "could not decrypt"))
    }

    private func success(
        _ results: [KeyResult], to request: NIP155Request, _ granted: [Int]
    ) throws(Undeliverable) -> Reply {
        guard let callback = request.callbacks.success, results.count == 1 else {
            throw .failed
        }
        var parameters = request.callbacks.id.map { [AnswerParameter("id", $0)] } ?? []
        let answer = try answer(results[0], to: request, granted)
        var deposit: [UInt8]?
        if let dropBox = request.dropBox, dropBox.payload != nil {
            deposit = Self.deposit(answer)
            parameters.append(dropBox.reference)
        } else {
            parameters += try packed(answer, request.compression)
        }
        let url = callback.url(adding: parameters, reserved: configuration.reservedNames)
        guard url.utf8.count <= configuration.limits.bytesMax(at: callback) else {
            throw .tooLarge
        }
        let message = Array(url.utf8)
        return deposit.map { .deposit($0, message: message) } ?? .message(message)
    }

    /// Returns the content that replaces the payload in the drop box.
    private static func deposit(_ answer: [AnswerParameter]) -> [UInt8] {
        JSON.object(
            JSONObject(answer.map { JSONObject.Member(name: $0.name, value: .string($0.value)) })
        ).write()
    }

    private func answer(
        _ result: KeyResult, to request: NIP155Request, _ granted: [Int]
    ) throws(Undeliverable) -> [AnswerParameter] {
        switch (request.use.task, result) {
        case (.publicKey, .publicKey(let key)):
            let wishes = request.permissions
            let grantedWishes = granted.filter(wishes.indices.contains).map { wishes[$0].json }
            let permissions = String(decoding: JSON.array(grantedWishes).write(), as: UTF8.self)
            return [
                AnswerParameter("pubkey", Hex.encode(key.span)),
                AnswerParameter("package", configuration.package),
            ] + (wishes.isEmpty ? [] : [AnswerParameter("granted_permissions", permissions)])
        case (.sign(let template), .signature(let signature, _)):
            // Without the event, the client could not know which event was signed.
            let isOwed = !template.isComplete || template.isKeyReplaced(by: request.use.account)
            var answer: [AnswerParameter] = []
            if !request.returnsEvent {
                answer.append(
                    AnswerParameter("result", Hex.encode(signature.span), isLarge: true))
            }
            if request.returnsEvent || isOwed, let event = request.use.signedEvent(result) {
                answer.append(AnswerParameter("event", event, isLarge: true))
            }
            return answer
        default: return [AnswerParameter("result", try text(result, of: request), isLarge: true)]
        }
    }

    private func text(
        _ result: KeyResult, of request: NIP155Request
    ) throws(Undeliverable) -> String {
        let text: String?
        do throws(NostrRefusal) {
            text = try request.use.text(result, verify: verify)
        } catch {
            throw .notText
        }
        guard let text else { throw .failed }
        return text
    }

    /// Returns the values in the form of the callback.
    ///
    /// `compressionType` applies to each `result` and `event` (NIP-155, section 8.1).
    private func packed(
        _ values: [AnswerParameter], _ compression: Compression
    ) throws(Undeliverable) -> [AnswerParameter] {
        guard compression == .gzip, values.contains(where: \.isLarge) else { return values }
        var packed: [AnswerParameter] = []
        for value in values {
            guard value.isLarge else {
                packed.append(value)
                continue
            }
            guard let text = try? compression.pack(value.value) else { throw .failed }
            packed.append(AnswerParameter(value.name, text))
        }
        return packed + [AnswerParameter("compressionType", compression.rawValue)]
    }
}

extension NIP155Refusal {
    /// Converts the reason of the hub; texts of rules and of the vault stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            // A separate code for a missing approver would reveal which accounts are held.
            case .policyDenied, .frozen, .approvalUnavailable: .permissionDenied
            case .personDenied: NIP155Refusal(.userCancelled, "declined")
            case .approvalTimedOut: NIP155Refusal(.userCancelled, "timed out")
            case .withdrawn: NIP155Refusal(.userCancelled, "withdrawn")
            case .limitExceeded: NIP155Refusal(.rateLimited, "a limit is used up; try again later")
            case .tooManyQuestions:
                NIP155Refusal(.rateLimited, "too many requests wait; try again later")
            case .undecryptable: .undecryptable
            case .keyUnavailable: NIP155Refusal(.notLoggedIn, "the key is locked or was removed")
            case .domainRefused: .invalid("the key does not support this")
            case .pendingConflict: .invalid("another request with this id waits for its answer")
            case .invalidPeer: .invalid("pubkey is not a public key")
            case .undeliverable: NIP155Refusal(.payloadTooLarge, "the result is too large")
            case .unknownFact, .replayed, .policyChanged, .policyUnavailable,
                .ledgerUnavailable, .keyFailed, .lookupFailed:
                .failed
            }
    }
}
