// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An error as ARC-27 sends it, without the provider's id.
struct ARC27Failure: Error, Hashable {
    /// The codes of ARC-27, and those of ARC-60 for what has its shape.
    enum Code: Int64 {
        case unknown = 4000
        case methodCanceled = 4001
        case methodTimedOut = 4002
        case methodNotSupported = 4003
        case networkNotSupported = 4004
        case unauthorizedSigner = 4100
        case invalidInput = 4200
        case invalidGroupID = 4201
        case failedToPost = 4300
        case invalidScope = 4600
        case failedDecoding = 4602
        case invalidSigner = 4603
        case missingDomain = 4607
        case missingAuthenticatorData = 4608
        case badJSON = 4609
        case failedDomainAuth = 4610
    }

    var code: Code
    var message: String
    var data: JSON?

    init(_ code: Code, _ message: String, data: JSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The same error with the place it was found at.
    func at(_ place: String) -> Self {
        Self(code, "\(place): \(message)", data: data)
    }
}

extension ARC27Failure {
    /// Whether it tells which accounts are held here.
    var isAboutAccounts: Bool { code == .unauthorizedSigner || code == .networkNotSupported }

    static func invalid(_ message: String) -> Self { Self(.invalidInput, message) }

    static func methodNotSupported(_ method: String) -> Self {
        Self(.methodNotSupported, "this method is not offered", data: ["method": .string(method)])
    }

    static func networkNotSupported(genesisHash: [UInt8], _ message: String) -> Self {
        let text = Base64.encode(genesisHash.span)
        return Self(.networkNotSupported, message, data: ["genesisHash": .string(text)])
    }

    static func unauthorizedSigner(_ address: String) -> Self {
        Self(
            .unauthorizedSigner, "the key of the signer is not held here",
            data: ["signer": .string(address)])
    }

    static func invalidGroupID(computed: [UInt8]) -> Self {
        Self(
            .invalidGroupID,
            "the group id does not belong to these transactions; send the whole group in order",
            data: ["computedGroupId": .string(Base64.encode(computed.span))])
    }
}
