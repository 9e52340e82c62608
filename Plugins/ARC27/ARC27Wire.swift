// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

/// The forms, names and limits of the wire.
enum ARC27Wire {
    /// The encoding of a frame; the answer uses the same encoding.
    enum Form: Hashable {
        /// JSON text.
        case json
        /// CBOR in Base64.
        case cbor
    }

    /// The supported methods.
    enum Method: String, CaseIterable {
        case discover, enable, disable
        case signMessage = "sign_message"
        case signTransactions = "sign_transactions"
        case postTransactions = "post_transactions"
        case signAndPostTransactions = "sign_and_post_transactions"

        /// The parameters of the method.
        var parameterNames: [String] {
            switch self {
            case .discover: ["providerId"]
            case .enable: ["providerId", "genesisHash"]
            case .disable: ["providerId", "genesisHash", "sessionIds"]
            case .signMessage: ["providerId", "signer", "message"] + ARC60Login.names
            case .signTransactions, .signAndPostTransactions: ["providerId", "txns"]
            case .postTransactions: ["providerId", "stxns"]
            }
        }
    }

    /// The maximum size of a frame, in bytes.
    static let frameBytesMax = 256 << 10
    /// The maximum length of a request id that is echoed, in bytes.
    static let idBytesMax = 128
    /// The maximum length of a method name that is echoed, in bytes.
    static let methodBytesMax = 64
    /// The maximum number of items in a list: four full groups.
    static let transactionCountMax = 64
    /// The constant that clients of Liquid Auth send, because they never ask for the provider id.
    static let liquidProviderID = "02657eaf-be17-4efc-b0a4-19d654b2448e"

    /// The channel name of a Liquid Auth data channel.
    static let liquidChannel: ChannelName = "liquid"

    private static let prefix = "arc0027:"
    private static let suffix = ":request"

    /// Returns the method in `arc0027:<method>:request`.
    static func method(_ reference: String) -> String? {
        let bytes = reference.utf8
        guard bytes.starts(with: prefix.utf8), bytes.reversed().starts(with: suffix.utf8.reversed())
        else { return nil }
        let method = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        guard (1...methodBytesMax).contains(method.count) else { return nil }
        return String(method)
    }

    /// Returns the reference of the answer to a method.
    static func responseReference(of method: String) -> String { "\(prefix)\(method):response" }
}
