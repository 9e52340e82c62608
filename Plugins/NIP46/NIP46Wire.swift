// SPDX-License-Identifier: Apache-2.0

import Nostr
package import SigningCodecs
import SigningCore

/// One call as it stands inside an envelope: JSON with an id, a method and parameters of text.
///
/// Whoever wrote an id and a method is answered, also where the parameters cannot be used.
package struct NIP46Call: Hashable, Sendable {
    /// The client's own name for it.
    package let id: String
    /// The method, known or not.
    package let method: String
    /// The parameters, as many as the client wrote; none where they cannot be used.
    package let params: [String]
    /// Why the parameters cannot be used; nil where they can.
    package let fault: NIP46Refusal?
    /// The id as it goes back: some clients count in numbers.
    private let answeredID: JSON

    /// The longest id, in bytes.
    package static let idBytesMax = 256
    /// The longest call and the longest answer: what NIP-44 encrypts at most.
    package static let bytesMax = 1 << 20
    /// Events may stand among the parameters as objects.
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 8, valuesMax: 50_000)
    private static let paramsMax = 16

    /// Makes a call that a client wrote in another form.
    package init(id: String, method: String, params: [String]) {
        self.id = id
        self.method = method
        self.params = params
        fault = nil
        answeredID = .string(id)
    }

    /// Reads a call; nil for all that is none, to which no answer has an id.
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
            fault = nil
        } catch {
            params = []
            fault = error
        }
    }

    /// Libraries leave parameters out, write null for one that is not there, and hand over an event
    /// as it is.
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

    /// The bytes that are read as this call.
    package var bytes: [UInt8] {
        let json: JSON = [
            "id": answeredID, "method": .string(method),
            "params": .array(params.map { .string($0) }),
        ]
        return json.write()
    }

    /// The answer with a result; there is no `error` beside it.
    package func reply(result: JSON) -> [UInt8] {
        (["id": answeredID, "result": result] as JSON).write()
    }

    /// The answer with an error.
    ///
    /// There is no `result` beside it: with an empty one nostr-sdk 0.45 loses the error.
    package func reply(_ refusal: NIP46Refusal) -> [UInt8] {
        (["id": answeredID, "error": .string(refusal.text)] as JSON).write()
    }
}

/// The methods of NIP-46.
enum NIP46Method: Hashable, Sendable {
    /// What concerns the connection itself.
    case session(NostrSessionMethod)
    /// What the account is asked for.
    case account(NostrMethod)

    /// Nil for a method that is not offered.
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

/// Why a call gets an error; NIP-46 has no codes, so the texts are few and fixed.
package enum NIP46Refusal: Error, Hashable, Sendable {
    case notConnected, invalidSecret, secretUsed, permissionDenied, userRejected, timedOut
    case unsupportedMethod, rateLimited, signerLocked, internalError
    /// What is wrong with the parameters, without payload.
    case invalid(String)

    /// What the client reads.
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

    /// The chain's fault in the words of the wire.
    init(_ fault: NostrRefusal) {
        self =
            switch fault {
            case .invalid, .tooLarge, .undecryptable: .invalid(fault.reason)
            // One text for a denied account and for one that is not held.
            case .noAccount, .notHeld, .notConnected: .permissionDenied
            case .unsupported: .unsupportedMethod
            }
    }

    /// The hub's reason in the words of the wire; texts of rules and of the vault stay here.
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
            case .domainRefused: .invalid("the key does not do this")
            case .pendingConflict: .invalid("another request with this id waits for its answer")
            case .undeliverable: .invalid("the result is too large")
            case .replayed, .policyChanged, .policyUnavailable, .ledgerUnavailable, .keyFailed,
                .lookupFailed:
                .internalError
            }
    }

    /// Reads something of the chain.
    static func telling<Value>(
        _ read: @autoclosure () throws(NostrRefusal) -> Value
    ) throws(NIP46Refusal) -> Value {
        do throws(NostrRefusal) { return try read() } catch { throw NIP46Refusal(error) }
    }

    /// The refusal of a call that was not decoded.
    func adapterError(to call: NIP46Call) -> AdapterError {
        AdapterError(code: text, reason: text, reply: .message(call.reply(self)))
    }
}
