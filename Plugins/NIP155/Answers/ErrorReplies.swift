// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCore

extension Callbacks {
    /// Returns the answer for a request that gets an error.
    func reply(to refusal: NIP155Refusal, for configuration: NIP155Configuration) -> Reply {
        // NIP-155, section 7: without x-error, x-cancel is only used for a cancellation.
        let target = error ?? (refusal.code == .userCancelled ? cancel : nil)
        guard let target else { return .silence(refusal.reason) }
        var parameters = id.map { [AnswerParameter("id", $0)] } ?? []
        parameters.append(AnswerParameter("code", refusal.code.rawValue))
        parameters.append(AnswerParameter("reason", refusal.reason))
        if configuration.xCallbackCompatible {
            parameters.append(AnswerParameter("errorCode", refusal.code.rawValue))
            parameters.append(AnswerParameter("errorMessage", refusal.reason))
        }
        let url = target.url(adding: parameters, reserved: configuration.reservedNames)
        return .message(Array(url.utf8))
    }

    /// Returns the refusal of a frame that was not decoded.
    func refusal(
        _ refusal: NIP155Refusal, for configuration: NIP155Configuration,
        of request: UnconnectedRequest? = nil
    ) -> AdapterError {
        AdapterError(
            code: refusal.code.rawValue, reason: refusal.reason,
            reply: reply(to: refusal, for: configuration),
            unconnected: refusal.isUnconnected ? request : nil)
    }
}
