// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// Reads one answer: the callback, percent encoding, the client's query, `id`, then the result.
struct AnswerReader {
    static let textBytesMax = 1 << 20

    let request: NIP155PendingRequest
    let parameters: AnswerParameters
    private let isAtSuccess: Bool
    private let isAtError: Bool
    private let isAtCancel: Bool

    init(
        _ request: NIP155PendingRequest, callback text: String
    ) throws(NIP155ClientError) {
        let opened = try? Callback(
            text, for: request.client.rules, bytesMax: request.client.limits.callbackBytesMax)
        let callbacks = request.client.callbacks
        let named = [callbacks.success, callbacks.error, callbacks.cancel]
        guard let opened, named.contains(where: { $0?.leads(toPlaceOf: opened) == true }) else {
            throw .notForThisRequest
        }
        let parameters = AnswerParameters(query: opened.query)
        if let refusal = parameters.refusal { throw .invalidAnswer(refusal.reason) }

        let found = named.map { callback in
            callback.map { $0.leads(toPlaceOf: opened) && $0.keepsOwnPairs(in: parameters) }
                ?? false
        }
        guard found.contains(true), let id = parameters[.id],
            id.utf8.elementsEqual(request.id.utf8)
        else { throw .notForThisRequest }
        self.request = request
        self.parameters = parameters
        (isAtSuccess, isAtError, isAtCancel) = (found[0], found[1], found[2])
    }

    func answer(dropBoxContent: String?) throws(NIP155ClientError) -> NIP155Answer {
        // All three callbacks may be the same URL; then a code distinguishes an error from a
        // result.
        guard isAtSuccess, !parameters.isNamed(.code) else { return try refusal() }
        let (result, event) = try texts(dropBoxContent: dropBoxContent)
        switch request.call {
        case .publicKey(let asked): return try publicKey(asked: asked)
        case .signEvent(_, let returning):
            return try signed(result: result, event: event, returning: returning)
        case .nip04Encrypt:
            return .text(try Self.required(result, ifForm: CiphertextForm.isNIP04))
        case .nip44Encrypt:
            return .text(
                try Self.required(result) { (try? CiphertextForm.checkNIP44($0)) != nil })
        case .nip04Decrypt: return .text(try Self.required(result) { _ in true })
        case .nip44Decrypt: return .text(try Self.required(result) { !$0.isEmpty })
        case .decryptZapEvent:
            return .text(
                try Self.required(result) { (try? JSON.parse($0.utf8.span))?.object != nil })
        }
    }

    private func refusal() throws(NIP155ClientError) -> NIP155Answer {
        guard isAtError || isAtCancel else {
            throw .invalidAnswer("an error came at x-success")
        }
        let results: [AnswerParameterName] = [.result, .event, .pubkey, .resultReference]
        guard !results.contains(where: parameters.isNamed) else {
            throw .invalidAnswer("the answer is both an error and a result")
        }
        let reason = parameters[.reason] ?? ""
        if let code = parameters[.code] {
            return .refused(code: NIP155ErrorCode(rawValue: code), reason: reason)
        }
        // The draft defines no parameters for x-cancel, so its URL is sufficient.
        guard isAtCancel else { throw .invalidAnswer("code is missing") }
        return .refused(code: .userCancelled, reason: reason)
    }

    private func publicKey(
        asked: [NIP155Permission]
    ) throws(NIP155ClientError) -> NIP155Answer {
        guard let hex = parameters[.pubkey], Self.isHex(hex, bytes: 32) else {
            throw .invalidAnswer("pubkey must be 64 lower-case hex digits")
        }
        try checkAccount(hex)
        var granted: [NIP155Permission]?
        if let text = parameters[.grantedPermissions] {
            let list = try NIP155ClientError.answered(NIP155Permission.list(text))
            guard list.allSatisfy({ one in asked.contains { $0.covers(one) } }) else {
                throw .invalidAnswer("granted_permissions has more than was requested")
            }
            granted = list
        }
        return .publicKey(hex: hex, package: parameters[.package], granted: granted)
    }

    /// Throws if a result is for another account than the requested one.
    func checkAccount(_ hex: String) throws(NIP155ClientError) {
        guard let wanted = request.currentUser, wanted != hex else { return }
        throw .invalidAnswer("the answer is from another account than current_user")
    }

    static func isHex(_ text: String, bytes: Int) -> Bool {
        (try? Hex.decode(text, countMax: bytes))?.count == bytes
    }

    private static func required(
        _ result: String?, ifForm isWellFormed: (String) -> Bool
    ) throws(NIP155ClientError) -> String {
        guard let result else { throw .invalidAnswer("result is missing") }
        guard isWellFormed(result) else {
            throw .invalidAnswer("result is not a result of the method")
        }
        return result
    }
}
