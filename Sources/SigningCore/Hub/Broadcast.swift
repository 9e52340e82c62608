// SPDX-License-Identifier: Apache-2.0

/// Signed things that the transport takes to a network before the client is answered.
///
/// They are on record when the transport gets them; sending uses no key.
public struct Broadcast: Hashable, Sendable {
    /// One signed thing.
    public struct Item: Hashable, Sendable {
        /// What the network knows it by, such as a transaction hash.
        public let id: String
        /// Whose it is, where the network wants to know that as well.
        public let sender: String
        /// The bytes that are sent.
        public let bytes: [UInt8]

        /// Makes an item.
        public init(id: String, sender: String, bytes: [UInt8]) {
            self.id = id
            self.sender = sender
            self.bytes = bytes
        }
    }

    /// The network, as the protocol's facts name it.
    public let network: String
    /// What is sent, in order; one that is not accepted keeps the rest back.
    public let items: [Item]

    /// Makes a broadcast; adapters do.
    public init(network: String, items: [Item]) {
        self.network = network
        self.items = items
    }

    /// One item with what became of it.
    public struct Delivery: Hashable, Sendable {
        /// The item.
        public let item: Item
        /// What became of it.
        public let result: Result

        /// Pairs both; transports do.
        public init(_ item: Item, _ result: Result) {
            self.item = item
            self.result = result
        }
    }

    /// What became of one item.
    ///
    /// The first three and the last are certain; a transport never sends again by itself.
    public enum Result: Hashable, Sendable {
        /// The network took it; what it answered, in its own format.
        case accepted([UInt8])
        /// The network took it, and carrying it out failed; what it answered.
        case failed([UInt8])
        /// No network will ever take it; why, in its own word and in a sentence.
        case refused(name: String, String)
        /// A node refused it, which binds no other and may be untrue: it may take effect as long
        /// as its bytes are valid. Why, in its own word and in a sentence.
        case declined(name: String, String)
        /// Nobody knows whether the network has it.
        case unknown(String)
        /// It was certainly not sent.
        case notSent(String)
    }
}
