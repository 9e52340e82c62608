// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// The reason that a request about Algorand is refused.
public struct AlgorandRefusal: Error, Hashable {
    /// The kind of problem; each wire maps it to an error code.
    package enum Kind: CaseIterable {
        case unknown
        case methodCanceled
        case methodTimedOut
        case methodNotSupported
        case networkNotSupported
        case unauthorizedSigner
        case invalidInput
        case invalidGroupID
        case failedToPost
        case invalidScope
        case failedDecoding
        case invalidSigner
        case missingDomain
        case missingAuthenticatorData
        case badJSON
        case failedDomainAuth
    }

    package var kind: Kind
    /// The problem in words.
    public package(set) var message: String
    package var data: JSON?

    package init(_ kind: Kind, _ message: String, data: JSON? = nil) {
        self.kind = kind
        self.message = message
        self.data = data
    }

    /// Returns a copy of the error whose message begins with the place of the problem.
    package func at(_ place: String) -> Self {
        Self(kind, "\(place): \(message)", data: data)
    }
}

extension AlgorandRefusal {
    /// True if the error reveals which accounts this home holds.
    package var isAboutAccounts: Bool {
        kind == .unauthorizedSigner || kind == .networkNotSupported
    }

    /// The last words of the message about a missing key.
    package static let notHeld = "is not held here"

    package static func invalid(_ message: String) -> Self { Self(.invalidInput, message) }

    package static func methodNotSupported(_ method: String) -> Self {
        Self(.methodNotSupported, "this method is not supported", data: ["method": .string(method)])
    }

    package static func networkNotSupported(genesisHash: [UInt8], _ message: String) -> Self {
        let text = Base64.encode(genesisHash.span)
        return Self(.networkNotSupported, message, data: ["genesisHash": .string(text)])
    }

    package static func unauthorizedSigner(_ address: String) -> Self {
        Self(
            .unauthorizedSigner, "the key of the signer \(notHeld)",
            data: ["signer": .string(address)])
    }

    package static func invalidGroupID(computed: [UInt8]) -> Self {
        Self(
            .invalidGroupID,
            "the group id does not belong to these transactions; send the whole group in order",
            data: ["computedGroupId": .string(Base64.encode(computed.span))])
    }
}
