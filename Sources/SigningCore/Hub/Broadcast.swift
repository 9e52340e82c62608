// SPDX-License-Identifier: Apache-2.0

/// Signed items that are sent to a network before the client is answered.
///
/// The record contains them before they are sent. Sending uses no key.
public struct Broadcast: Hashable, Sendable {
    /// One signed item, such as a transaction.
    public struct Item: Hashable, Sendable {
        /// The network's name for the item, such as a transaction hash.
        public let id: String
        /// The account that sends the item; some networks find items only by id and sender.
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
        /// The network accepted the item; the value is the network's answer in its format.
        case accepted([UInt8])
        /// The network accepted the item, but executing it failed; the value is its answer.
        case failed([UInt8])
        /// No node can ever accept the item; the values are an error name and a sentence.
        case refused(name: String, String)
        /// A node refused the item; the values are the node's error name and a sentence.
        ///
        /// The node may be wrong, and other nodes may accept the item: it may still take effect as
        /// long as its bytes are valid.
        case declined(name: String, String)
        /// It is not known whether the network has the item; the value is a sentence.
        case unknown(String)
        /// The item was certainly not sent; the value is a sentence.
        case notSent(String)
    }
}
