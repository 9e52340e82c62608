// SPDX-License-Identifier: Apache-2.0

public import Algorand

extension ARC27Client {
    /// What a provider replied, checked for form and for fitting what was asked.
    ///
    /// No signature is verified, and no address or transaction id computed: before anything is
    /// used, `SignatureToVerify` is, by a key that the app expects. All texts are the provider's.
    public enum Reply: Hashable, Sendable {
        /// To `discover`.
        case discovered(Discovery)
        /// To `enable`.
        case enabled(Enabled)
        /// To `disable`.
        case disabled(Disabled)
        /// To `signTransactions`.
        case signed(SignedTransactions)
        /// To `signAndPostTransactions` and `postTransactions`: an id for every transaction.
        case posted(transactionIDs: [String])
        /// To `signMessage` and `signData`.
        case messageSigned(MessageSignature)
        /// The provider did not do it.
        case refused(Refusal)
    }

    /// Words of a peer, which prove nothing.
    public struct PeerText: Hashable, Sendable, CustomStringConvertible {
        /// Characters that are shown; the rest is counted.
        public static let shownCountMax = 1_000
        /// As it came, not fit to be shown.
        public let verbatim: String
    }

    /// Who a provider is and what it offers.
    public struct Discovery: Hashable, Sendable {
        /// One network and what can be asked for there.
        public struct Network: Hashable, Sendable {
            /// Genesis id and hash.
            public let network: AlgorandNetwork
            /// Method names, those that ARC-27 does not have as well.
            public let methods: [String]

            /// Whether the method is offered.
            public func offers(_ method: Method) -> Bool { methods.contains(method.rawValue) }
        }

        /// The id to make a client with.
        public let providerID: String
        /// What it calls itself.
        public let name: PeerText
        /// What it offers.
        public let networks: [Network]
        /// The URL of its site.
        public let host: PeerText?
        /// The URI of a picture; nothing says what is behind it.
        public let icon: PeerText?
    }

    /// The accounts that the user shows.
    public struct Enabled: Hashable, Sendable {
        /// One account.
        public struct Account: Hashable, Sendable {
            /// The address; its form is checked, its checksum is not.
            public let address: String
            /// The user's name for it.
            public let name: PeerText?
        }

        /// May be empty.
        public let accounts: [Account]
        /// The network asked for, else the provider's default.
        public let network: AlgorandNetwork
        /// The session, where the provider keeps one.
        public let sessionID: String?
    }

    /// What is over.
    public struct Disabled: Hashable, Sendable {
        /// The network it was about.
        public let network: AlgorandNetwork
        /// The sessions that were removed; nil where the provider does not say.
        public let sessionIDs: [String]?
    }

    /// A signature over a message or over data.
    public struct MessageSignature: Hashable, Sendable {
        /// 64 bytes.
        public let signature: [UInt8]
        /// The address to verify it with: the one asked for, else the one the provider names.
        public let signer: String?
        /// The bytes that may have been signed: ARC-27 does not say which.
        public let readings: [Reading]
    }

    /// Bytes that a provider may have signed for a message.
    public enum Reading: Hashable, Sendable {
        /// "MX" and the text, as `signBytes` of the SDKs.
        case prefixed([UInt8])
        /// The text alone.
        case plain([UInt8])
        /// SHA-256 of the one and SHA-256 of the other behind it (ARC-60).
        case digests(data: [UInt8], authenticatorData: [UInt8])
    }
}
