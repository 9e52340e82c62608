// SPDX-License-Identifier: Apache-2.0

/// The refusal of a NEAR request: a code and a sentence, which a wire writes in its own format.
package struct NEARRefusal: Error, Hashable {
    /// A short name for programs; wires define more codes.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }
    }

    package let code: Code
    package let text: String
    /// True if the client names an account that it is not connected to.
    package private(set) var isUnconnected = false

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    package static func invalid(_ text: String) -> NEARRefusal {
        NEARRefusal(.invalidRequest, text)
    }

    /// The refusal for any account that a client may not name, held or not.
    static let unconnected: NEARRefusal = {
        var refusal = NEARRefusal(
            .notSignedIn,
            "this client is not connected to the account that it names; send signIn first")
        refusal.isUnconnected = true
        return refusal
    }()

    /// The refusal for ML-DSA-65 keys, which are recognized but not supported.
    package static let postQuantum = NEARRefusal(
        .unsupportedKey, "ML-DSA-65 keys are not supported; use an ed25519 key")

    package static func unsupportedAction(_ what: String) -> NEARRefusal {
        NEARRefusal(.unsupportedAction, "the action \(what) is not supported")
    }

    package static func tooLarge(_ name: String, bytesMax: Int) -> NEARRefusal {
        NEARRefusal(.payloadTooLarge, "\(name) is longer than \(bytesMax) bytes")
    }
}

extension NEARRefusal.Code {
    package static let invalidRequest = Self(rawValue: "invalid_request")
    package static let payloadTooLarge = Self(rawValue: "payload_too_large")
    package static let invalidAccountID = Self(rawValue: "invalid_account_id")
    package static let unsupportedAction = Self(rawValue: "unsupported_action")
    package static let unsupportedKey = Self(rawValue: "unsupported_key")
    package static let unsupportedVersion = Self(rawValue: "unsupported_version")
    package static let nestedDelegate = Self(rawValue: "nested_delegate")
    package static let accountNotFound = Self(rawValue: "account_not_found")
    package static let accountRequired = Self(rawValue: "account_required")
    package static let networkMismatch = Self(rawValue: "network_mismatch")
    package static let clientRequired = Self(rawValue: "client_required")
    package static let notSignedIn = Self(rawValue: "not_signed_in")
    package static let networkUnavailable = Self(rawValue: "network_unavailable")
    package static let keyNotPermitted = Self(rawValue: "key_not_permitted")
    package static let unavailable = Self(rawValue: "unavailable")
    package static let expired = Self(rawValue: "expired")
}
