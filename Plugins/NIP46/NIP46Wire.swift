// SPDX-License-Identifier: Apache-2.0

import Nostr
package import SigningCodecs
import SigningCore

/// One call within an envelope: JSON with an id, a method and text parameters.
///
/// A call with an id and a method is answered even if its parameters are invalid.
package struct NIP46Call: Hashable, Sendable {
    /// The id that the client chose.
    package let id: String
    /// The method, which may be unknown.
    package let method: String
    /// The parameters; empty if they are invalid.
    package let params: [String]
    /// The reason that the parameters are invalid; nil if they are valid.
    package let refusal: NIP46Refusal?
    /// The id as the client wrote it, for the answer: some clients use numbers instead of text.
    private let answeredID: JSON

    /// The maximum length of an id, in bytes.
    package static let idBytesMax = 256
    /// The maximum length of a call and of an answer, in bytes; the same as the maximum length of a
    /// text that this program encrypts with NIP-44.
    package static let bytesMax = 1 << 20
    /// The limits for parsing a call.
    ///
    /// The depth allows parameters that are objects, as some clients send events.
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 8, valuesMax: 50_000)
    private static let paramsMax = 16

    /// Creates a call from another form of request.
    package init(id: String, method: String, params: [String]) {
        self.id = id
        self.method = method
        self.params = params
        refusal = nil
        answeredID = .string(id)
    }

    /// Parses a call; nil if the frame is not JSON with a method and a valid id.
    package init?(_ frame: Span<UInt8>) {
        guard let object = (try? JSON.parse(frame, limits: Self.limits))?.object,
            let method = object["method"]?.text
        else { return nil }
        switch object["id"] {
        case .string(let text)? where text.utf8.count <= Self.idBytesMax: id = text
        case .integer(let number)?: id = String(number)
        default: return nil
        }
        answeredID = object["id"] ?? .null
        self.method = method
        do throws(NIP46Refusal) {
            params = try Self.params(object["params"] ?? .null)
            refusal = nil
        } catch {
            params = []
            refusal = error
        }
    }

    /// Reads the parameters; clients omit them, write null, or write an event as an object.
    private static func params(_ value: JSON) throws(NIP46Refusal) -> [String] {
        guard value != .null else { return [] }
        guard let list = value.list else { throw .invalid("params must be an array") }
        guard list.count <= paramsMax else { throw .invalid("more than \(paramsMax) params") }
        return try list.map { (item) throws(NIP46Refusal) in
            switch item {
            case .string(let text): text
            case .null: ""
            case .object: String(decoding: item.write(), as: UTF8.self)
            default: throw .invalid("every one of params must be a string")
            }
        }
    }

    /// The call as bytes.
    package var bytes: [UInt8] {
        let json: JSON = [
            "id": answeredID, "method": .string(method),
            "params": .array(params.map { .string($0) }),
        ]
        return json.write()
    }

    /// Returns the answer with a result, without `error`.
    package func reply(result: JSON) -> [UInt8] {
        (["id": answeredID, "result": result] as JSON).write()
    }

    /// Returns the answer with an error.
    ///
    /// It has no `result`: with an empty one, nostr-sdk 0.45 loses the error.
    package func reply(_ refusal: NIP46Refusal) -> [UInt8] {
        (["id": answeredID, "error": .string(refusal.text)] as JSON).write()
    }
}

/// The methods of NIP-46.
enum NIP46Method: Hashable, Sendable {
    /// A method that concerns the connection.
    case session(NostrSessionMethod)
    /// A method that uses the account.
    case account(NostrMethod)

    /// Parses a method; nil if it is not supported.
    init?(_ name: String) {
        if let method = NostrSessionMethod(rawValue: name) {
            self = .session(method)
        } else if let method = NostrMethod(rawValue: name), method != .decryptZapEvent {
            self = .account(method)
        } else {
            return nil
        }
    }
}

/// The reasons that a call is refused; NIP-46 has no codes, so the texts are few and fixed.
package enum NIP46Refusal: Error, Hashable, Sendable {
    case notConnected, invalidSecret, secretUsed, permissionDenied, userRejected, timedOut
    case unsupportedMethod, rateLimited, signerLocked, internalError
    /// The parameters are invalid; the text names the problem, without payload.
    case invalid(String)

    /// The text for the client.
    package var text: String {
        switch self {
        case .notConnected: "not connected"
        case .invalidSecret: "invalid secret"
        case .secretUsed: "secret already used"
        case .permissionDenied: "permission denied"
        case .userRejected: "user rejected"
        case .timedOut: "timed out"
        case .unsupportedMethod: "unsupported method"
        case .rateLimited: "rate limited"
        case .signerLocked: "signer locked"
        case .internalError: "internal error"
        case .invalid(let what): "invalid params: \(what)"
        }
    }

    /// Converts the refusal of the chain.
    init(_ refusal: NostrRefusal) {
        self =
            switch refusal {
            case .invalid, .tooLarge, .undecryptable: .invalid(refusal.reason)
            // One text for a denied account and for one that is not held.
            case .noAccount, .notHeld, .notConnected: .permissionDenied
            case .unsupported: .unsupportedMethod
            }
    }

    /// Converts the reason of the hub; texts of rules and of the vault stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied, .frozen, .approvalUnavailable, .unknownFact: .permissionDenied
            case .personDenied: .userRejected
            case .approvalTimedOut, .withdrawn: .timedOut
            case .limitExceeded, .tooManyQuestions: .rateLimited
            case .keyUnavailable: .signerLocked
            case .undecryptable: Self(NostrRefusal.undecryptable)
            case .invalidPeer: .invalid("pubkey is not a public key")
            case .domainRefused: .invalid("the key does not support this")
            case .pendingConflict: .invalid("another request with this id waits for its answer")
            case .undeliverable: .invalid("the result is too large")
            case .replayed, .policyChanged, .policyUnavailable, .ledgerUnavailable, .keyFailed,
                .lookupFailed:
                .internalError
            }
    }

    /// Runs code of the chain and converts its refusal.
    static func converting<Value>(
        _ read: @autoclosure () throws(NostrRefusal) -> Value
    ) throws(NIP46Refusal) -> Value {
        do throws(NostrRefusal) { return try read() } catch { throw NIP46Refusal(error) }
    }

    /// Returns the error for a call that was not decoded.
    func adapterError(to call: NIP46Call) -> AdapterError {
        AdapterError(code: text, reason: text, reply: .message(call.reply(self)))
    }
}
