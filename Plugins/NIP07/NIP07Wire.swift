// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore

/// The calls of NIP-07 that use a key, by their names in pages.
enum NIP07Method: String, CaseIterable {
    case getPublicKey
    case signEvent
    case nip04Encrypt = "nip04.encrypt"
    case nip04Decrypt = "nip04.decrypt"
    case nip44Encrypt = "nip44.encrypt"
    case nip44Decrypt = "nip44.decrypt"

    /// The use of the key, by its name in rules.
    var task: NostrMethod {
        switch self {
        case .getPublicKey: .getPublicKey
        case .signEvent: .signEvent
        case .nip04Encrypt: .nip04Encrypt
        case .nip04Decrypt: .nip04Decrypt
        case .nip44Encrypt: .nip44Encrypt
        case .nip44Decrypt: .nip44Decrypt
        }
    }
}

/// A call on the wire: `{"nip07": METHOD, "params": [...]}`, with the arguments in order.
struct NIP07Wire {
    static let methodMember = "nip07"
    static let frameBytesMax = 1 << 20
    private static let paramsMember = "params"
    /// The maximum depth: the tags of an event and the levels around them.
    private static let depthMax = 8

    let method: NIP07Method
    /// The event as JSON, or the text; empty for methods without a payload.
    let payload: String
    /// The public key of the other party, as the page wrote it.
    let peer: String?

    init(_ frame: Span<UInt8>) throws(NIP07Refusal) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                frame, limits: JSONLimits(bytesMax: Self.frameBytesMax, depthMax: Self.depthMax))
        } catch {
            throw NIP07Refusal(.invalidRequest, "not readable as JSON: \(error.text)")
        }
        guard let object = json.object, let name = json[Self.methodMember]?.text,
            object.names.allSatisfy({ $0 == Self.methodMember || $0 == Self.paramsMember })
        else {
            throw NIP07Refusal(
                .invalidRequest, "a call must have the members nip07 and params, and no others")
        }
        guard let method = NIP07Method(rawValue: name) else {
            throw NIP07Refusal(.unsupportedMethod, "this signer does not support this method")
        }
        self.method = method
        let params: [JSON]
        switch json[Self.paramsMember] {
        case nil: params = []
        case .array(let list)?: params = list
        default: throw NIP07Refusal(.invalidRequest, "params must be an array")
        }
        switch (method, params.count) {
        case (.getPublicKey, 0): (payload, peer) = ("", nil)
        case (.signEvent, 1):
            (payload, peer) = (String(decoding: params[0].write(), as: UTF8.self), nil)
        case (.nip04Encrypt, 2), (.nip04Decrypt, 2), (.nip44Encrypt, 2), (.nip44Decrypt, 2):
            guard let peer = params[0].text, let text = params[1].text else {
                throw NIP07Refusal(.invalidRequest, "public key and text must be strings")
            }
            (payload, self.peer) = (text, peer)
        default: throw NIP07Refusal(.invalidRequest, "wrong number of arguments")
        }
    }
}

/// The reason that a promise is rejected, as a code for programs and in words.
struct NIP07Refusal: Error, Hashable {
    enum Code: String, CaseIterable {
        case invalidRequest = "invalid_request"
        case payloadTooLarge = "payload_too_large"
        case unsupportedMethod = "unsupported_method"
        case noAccount = "no_account"
        case permissionDenied = "permission_denied"
        case userRejected = "user_rejected"
        case timedOut = "timed_out"
        case withdrawn
        case rateLimited = "rate_limited"
        case locked
        case internalError = "internal_error"
    }

    let code: Code
    /// The problem and its solution, without payload.
    let text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Converts the refusal of the chain.
    init(_ refusal: NostrRefusal) {
        let code: Code =
            switch refusal {
            case .invalid, .undecryptable: .invalidRequest
            case .tooLarge: .payloadTooLarge
            case .noAccount: .noAccount
            case .notHeld, .notConnected: .permissionDenied
            case .unsupported: .unsupportedMethod
            }
        self.init(code, refusal.reason)
    }

    /// Converts the reason of the hub; texts of rules and of the vault stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied, .frozen, .approvalUnavailable:
                Self(.permissionDenied, "permission denied")
            case .personDenied: Self(.userRejected, "declined")
            case .approvalTimedOut: Self(.timedOut, "no answer came in time; ask again")
            case .withdrawn: Self(.withdrawn, "withdrawn before it was decided")
            case .limitExceeded: Self(.rateLimited, "a limit is used up; try again later")
            case .tooManyQuestions: Self(.rateLimited, "too many requests wait; try again later")
            case .undecryptable: Self(NostrRefusal.undecryptable)
            case .keyUnavailable: Self(.locked, "the signer is locked; unlock it and ask again")
            case .domainRefused: Self(.invalidRequest, "the key does not support this")
            case .invalidPeer: Self(.invalidRequest, "pubkey is not a public key")
            case .undeliverable: Self(.payloadTooLarge, "the result is too large")
            case .unknownFact, .replayed, .pendingConflict, .policyChanged, .policyUnavailable,
                .ledgerUnavailable, .keyFailed, .lookupFailed:
                Self(.internalError, "the signer could not carry this out")
            }
    }

    var reply: Reply {
        let error: JSON = ["code": .string(code.rawValue), "message": .string(text)]
        return .message((["error": error] as JSON).write())
    }

    var adapterError: AdapterError {
        AdapterError(code: code.rawValue, reason: text, reply: reply)
    }
}
