// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The callbacks of one request, and its correlator.
struct Callbacks: Hashable, Sendable {
    static let idBytesMax = 256

    private(set) var id: String?
    private(set) var success: Callback?
    private(set) var error: Callback?
    private(set) var cancel: Callback?

    /// The value for a request that must get no answer.
    static let none = Callbacks()

    /// Reads the callbacks that can be trusted, and the first problem.
    static func read(
        _ parameters: Parameters, for configuration: NIP155Configuration
    ) -> (callbacks: Callbacks, refusal: NIP155Refusal?) {
        var callbacks = Callbacks()
        do throws(NIP155Refusal) {
            try callbacks.fill(from: parameters, for: configuration)
            return (callbacks, nil)
        } catch {
            return (callbacks, error)
        }
    }

    /// Reads the callbacks up to the first problem; those read before it may get the error.
    private mutating func fill(
        from parameters: Parameters, for configuration: NIP155Configuration
    ) throws(NIP155Refusal) {
        let id = parameters[.id]
        let isLongID = (id?.utf8.count ?? 0) > Self.idBytesMax
        if !isLongID { self.id = id }

        let error = try Self.callback(.error, parameters, configuration)
        // If x-success is missing or invalid, x-error is the only known address of the client, so
        // the error goes there.
        self.error = error
        guard let success = try Self.callback(.success, parameters, configuration) else {
            throw .invalid("x-success is missing")
        }
        self.error = nil
        // x-error must belong to the same client: an error at the address of another client would
        // tell that client about the request.
        try Self.check(error, isAt: success)
        self.success = success
        self.error = error
        let cancel = try Self.callback(.cancel, parameters, configuration)
        try Self.check(cancel, isAt: success)
        self.cancel = cancel
        if isLongID { throw .tooLarge("id", bytesMax: Self.idBytesMax) }
    }

    private static func callback(
        _ name: Parameters.Name, _ parameters: Parameters, _ configuration: NIP155Configuration
    ) throws(NIP155Refusal) -> Callback? {
        guard parameters.isSent(name) else { return nil }
        guard let text = parameters[name] else {
            throw .invalid("\(name.rawValue) cannot be read")
        }
        return try Callback(text, for: configuration)
    }

    private static func check(
        _ callback: Callback?, isAt success: Callback
    ) throws(NIP155Refusal) {
        guard let callback, callback.identity != success.identity else { return }
        throw .invalid("x-success, x-error and x-cancel must lead to the same client")
    }
}

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
