// SPDX-License-Identifier: Apache-2.0

public import Algorand

extension ARC27Client {
    /// A reply of a provider, checked for its form and against the request.
    ///
    /// No signature is verified, and no address or transaction id is computed. Before you use a
    /// reply, verify each `SignatureToVerify` with a key that the app expects. All texts come from
    /// the provider.
    public enum Reply: Hashable, Sendable {
        /// The reply to `discover`.
        case discovered(Discovery)
        /// The reply to `enable`.
        case enabled(Enabled)
        /// The reply to `disable`.
        case disabled(Disabled)
        /// The reply to `signTransactions`.
        case signed(SignedTransactions)
        /// The reply to `signAndPostTransactions` and `postTransactions`: an id for every
        /// transaction.
        case posted(transactionIDs: [String])
        /// The reply to `signMessage` and `signData`.
        case messageSigned(MessageSignature)
        /// The provider refused the request.
        case refused(Refusal)
    }

    /// A text of a peer, which proves nothing.
    public struct PeerText: Hashable, Sendable, CustomStringConvertible {
        /// The number of characters that are shown; the number of the others is appended.
        public static let shownCountMax = 1_000
        /// The text as received, not safe to display.
        public let verbatim: String
    }

    /// The identity of a provider and its methods.
    public struct Discovery: Hashable, Sendable {
        /// One network and the methods offered for it.
        public struct Network: Hashable, Sendable {
            /// The genesis id and hash.
            public let network: AlgorandNetwork
            /// The names of methods, including those that ARC-27 does not define.
            public let methods: [String]

            /// Returns true if the method is offered.
            public func offers(_ method: Method) -> Bool { methods.contains(method.rawValue) }
        }

        /// The id for a client of this provider.
        public let providerID: String
        /// The name of the provider.
        public let name: PeerText
        /// The networks and their methods.
        public let networks: [Network]
        /// The URL of the provider's site.
        public let host: PeerText?
        /// The URI of an icon; its content is not checked.
        public let icon: PeerText?
    }

    /// The accounts that the user shows.
    public struct Enabled: Hashable, Sendable {
        /// One account that the user shows.
        public struct Account: Hashable, Sendable {
            /// The address; its form is checked, but not its checksum.
            public let address: String
            /// The name that the user gave the account.
            public let name: PeerText?
        }

        /// The accounts; may be empty.
        public let accounts: [Account]
        /// The requested network, otherwise the default of the provider.
        public let network: AlgorandNetwork
        /// The id of the session, if the provider keeps sessions.
        public let sessionID: String?
    }

    /// The sessions that ended.
    public struct Disabled: Hashable, Sendable {
        /// The network of the sessions.
        public let network: AlgorandNetwork
        /// The ids of the removed sessions; nil if the provider does not report them.
        public let sessionIDs: [String]?
    }

    /// A signature of a message or of data.
    public struct MessageSignature: Hashable, Sendable {
        /// The signature, 64 bytes.
        public let signature: [UInt8]
        /// The address for the verification: the requested one, otherwise the one in the reply.
        public let signer: String?
        /// The possible preimages, because ARC-27 does not define which one is signed.
        public let readings: [Reading]
    }

    /// Bytes that a provider may have signed for a message.
    public enum Reading: Hashable, Sendable {
        /// The prefix "MX" and the text, as in `signBytes` of the SDKs.
        case prefixed([UInt8])
        /// The text alone.
        case plain([UInt8])
        /// The SHA-256 of the data, followed by the SHA-256 of the authenticator data (ARC-60).
        case digests(data: [UInt8], authenticatorData: [UInt8])
    }
}
