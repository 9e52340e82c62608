// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

/// Shapes, names and limits of the wire.
enum ARC27Wire {
    /// How a frame is written; the answer is written the same way.
    enum Form: Hashable {
        /// JSON text.
        case json
        /// CBOR in Base64.
        case cbor
    }

    /// The methods offered.
    enum Method: String, CaseIterable {
        case discover, enable, disable
        case signMessage = "sign_message"
        case signTransactions = "sign_transactions"
        case postTransactions = "post_transactions"
        case signAndPostTransactions = "sign_and_post_transactions"

        /// The parameters it knows.
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

    /// The largest frame that is read or written, in bytes.
    static let frameBytesMax = 256 << 10
    /// Bytes of the longest request id that is echoed.
    static let idBytesMax = 128
    /// Bytes of the longest method name that is echoed.
    static let methodBytesMax = 64
    /// Items of the largest list that is read: four full groups.
    static let transactionCountMax = 64
    /// Clients of Liquid Auth send this constant, because they never ask for our id.
    static let liquidProviderID = "02657eaf-be17-4efc-b0a4-19d654b2448e"

    /// What transports call a data channel of Liquid Auth.
    static let liquidDoor: ChannelName = "liquid"

    private static let prefix = "arc0027:"
    private static let suffix = ":request"

    /// The method in `arc0027:<method>:request`.
    static func method(_ reference: String) -> String? {
        let bytes = reference.utf8
        guard bytes.starts(with: prefix.utf8), bytes.reversed().starts(with: suffix.utf8.reversed())
        else { return nil }
        let method = bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        guard (1...methodBytesMax).contains(method.count) else { return nil }
        return String(method)
    }

    /// The reference of the answer to a method.
    static func responseReference(of method: String) -> String { "\(prefix)\(method):response" }
}
