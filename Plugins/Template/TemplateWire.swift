// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The signed data: a prefix that no other domain has, then the text.
struct Note: Hashable {
    static let prefix = Array("countersign template note v1\0".utf8)
    static let textBytesMax = 1_024

    let text: String

    init?(text: String) {
        guard text.utf8.count <= Self.textBytesMax else { return nil }
        self.text = text
    }

    /// Parses the bytes; the key store calls this before it signs.
    init?(preimage: [UInt8]) {
        guard preimage.starts(with: Self.prefix) else { return nil }
        let rest = Array(preimage.dropFirst(Self.prefix.count))
        guard let text = try? UTF8Text.decode(rest.span) else { return nil }
        self.init(text: text)
    }

    var preimage: [UInt8] { Self.prefix + Array(text.utf8) }
}

/// A request on the wire: `{"account"?, "text"}`.
struct TemplateWire {
    let note: Note
    private let account: String?

    init(_ frame: Span<UInt8>) throws(Refusal) {
        guard let json = try? JSON.parse(frame, limits: JSONLimits(depthMax: 1, valuesMax: 3)),
            let object = json.object, let text = json["text"]?.text
        else { throw Refusal(.malformed) }
        // Unknown members are refused, not ignored.
        guard object.names.allSatisfy({ $0 == "text" || $0 == "account" }) else {
            throw Refusal(.malformed)
        }
        guard let note = Note(text: text) else { throw Refusal(.tooLong) }
        self.note = note
        guard let named = json["account"] else {
            account = nil
            return
        }
        guard let name = named.text else { throw Refusal(.malformed) }
        account = name
    }

    /// Returns the named account, otherwise the only account.
    func account(among accounts: [Account]) throws(Refusal) -> Account {
        // An account may have a key of another algorithm, or no key.
        let fitting = accounts.filter {
            $0.algorithm == .ed25519 && (account == nil || $0.address == account)
        }
        guard fitting.count == 1 else { throw Refusal(.noAccount) }
        return fitting[0]
    }
}

/// Every refusal of this wire, written as `{"error": code}`.
struct Refusal: Error, Hashable {
    enum Code: String {
        case malformed
        case tooLong = "too_long"
        case noAccount = "no_account"
        case refused
        case tryLater = "try_later"
        case hubFailed = "hub_failed"
    }

    let code: Code

    init(_ code: Code) { self.code = code }

    /// Converts the reason of the hub; a new reason code does not compile until it has a case here.
    init(_ reason: ReasonCode) {
        switch reason {
        case .policyDenied, .personDenied, .unknownFact, .replayed: code = .refused
        case .approvalUnavailable, .approvalTimedOut, .withdrawn, .limitExceeded,
            .tooManyQuestions, .frozen, .policyChanged, .pendingConflict, .policyUnavailable,
            .ledgerUnavailable, .keyUnavailable:
            code = .tryLater
        case .domainRefused, .undecryptable, .invalidPeer, .keyFailed, .lookupFailed,
            .undeliverable:
            code = .hubFailed
        }
    }

    var reply: Reply {
        let answer: JSON = ["error": .string(code.rawValue)]
        return .message(answer.write())
    }

    var adapterError: AdapterError {
        AdapterError(code: code.rawValue, reason: text, reply: reply)
    }

    private var text: String {
        switch code {
        case .malformed: "send one JSON object with text and, if needed, account"
        case .tooLong: "a note has at most \(Note.textBytesMax) bytes"
        case .noAccount: "name an account of this home"
        case .refused, .tryLater, .hubFailed: "the hub made no signature"
        }
    }
}
