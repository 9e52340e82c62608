// SPDX-License-Identifier: Apache-2.0

/// Signed items that are sent to a network before the client is answered.
///
/// They are on record before they are sent; sending uses no key.
public struct Broadcast: Hashable, Sendable {
    /// One signed thing.
    public struct Item: Hashable, Sendable {
        /// The network's name for the item, such as a transaction hash.
        public let id: String
        /// The account that sends it, for networks that need it to find the item.
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
    /// The items, in order; an item that is not accepted prevents the later ones from being sent.
    public let items: [Item]

    /// Makes a broadcast; called by adapters.
    public init(network: String, items: [Item]) {
        self.network = network
        self.items = items
    }

    /// One item with the result of sending it.
    public struct Delivery: Hashable, Sendable {
        /// The item.
        public let item: Item
        /// The result of sending it.
        public let result: Result

        /// Pairs an item with its result; called by transports.
        public init(_ item: Item, _ result: Result) {
            self.item = item
            self.result = result
        }
    }

    /// The result of sending one item.
    ///
    /// The first three cases and the last are certain; a transport never sends again automatically.
    public enum Result: Hashable, Sendable {
        /// The network took it; the value is the network's answer in its format.
        case accepted([UInt8])
        /// The network took it, but executing it failed; the value is the network's answer.
        case failed([UInt8])
        /// It can never be accepted by a network; the error name, and a sentence.
        case refused(name: String, String)
        /// A node refused it; the node's error name, and a sentence.
        ///
        /// The refusal binds no other node and may be untrue: the item may take effect as long as
        /// its bytes are valid.
        case declined(name: String, String)
        /// It is not known whether the network has it.
        case unknown(String)
        /// It was certainly not sent.
        case notSent(String)
    }
}
