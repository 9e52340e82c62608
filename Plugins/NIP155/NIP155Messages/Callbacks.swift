// SPDX-License-Identifier: Apache-2.0

/// The callbacks of one request, and its correlator.
public struct Callbacks: Hashable, Sendable {
    /// The maximum length of the correlator, in bytes.
    public static let idBytesMax = 256

    /// The correlator.
    package private(set) var id: String?
    /// The place of the result.
    public private(set) var success: Callback?
    /// The place of an error.
    public private(set) var error: Callback?
    /// The place of a cancellation.
    public private(set) var cancel: Callback?

    /// The value for a request that must get no answer.
    package static let none = Callbacks()

    /// Reads the callbacks that can be trusted, and the first problem.
    public static func read(
        _ parameters: RequestParameters, for rules: CallbackRules
    ) -> (callbacks: Callbacks, refusal: NIP155Refusal?) {
        var callbacks = Callbacks()
        do throws(NIP155Refusal) {
            try callbacks.fill(from: parameters, for: rules)
            return (callbacks, nil)
        } catch {
            return (callbacks, error)
        }
    }

    /// Reads the callbacks up to the first problem; those read before it may get the error.
    private mutating func fill(
        from parameters: RequestParameters, for rules: CallbackRules
    ) throws(NIP155Refusal) {
        let id = parameters[.id]
        let isLongID = (id?.utf8.count ?? 0) > Self.idBytesMax
        if !isLongID { self.id = id }

        let error = try Self.callback(.error, parameters, rules)
        // If x-success is missing or invalid, x-error is the only known address of the client, so
        // the error goes there.
        self.error = error
        guard let success = try Self.callback(.success, parameters, rules) else {
            throw .invalid("x-success is missing")
        }
        self.error = nil
        // x-error must belong to the same client: an error at the address of another client would
        // tell that client about the request.
        try Self.check(error, isAt: success)
        self.success = success
        self.error = error
        let cancel = try Self.callback(.cancel, parameters, rules)
        try Self.check(cancel, isAt: success)
        self.cancel = cancel
        if isLongID { throw .tooLarge("id", bytesMax: Self.idBytesMax) }
    }

    private static func callback(
        _ name: RequestParameter, _ parameters: RequestParameters, _ rules: CallbackRules
    ) throws(NIP155Refusal) -> Callback? {
        guard parameters.isSent(name) else { return nil }
        guard let text = parameters[name] else {
            throw .invalid("\(name.rawValue) cannot be read")
        }
        return try Callback(text, for: rules)
    }

    private static func check(
        _ callback: Callback?, isAt success: Callback
    ) throws(NIP155Refusal) {
        guard let callback, callback.identity != success.identity else { return }
        throw .invalid("x-success, x-error and x-cancel must lead to the same client")
    }
}
