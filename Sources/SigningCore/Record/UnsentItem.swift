// SPDX-License-Identifier: Apache-2.0

/// A signed item without a known result.
public struct UnsentItem: Hashable, Sendable {
    /// The protocol.
    public let protocolID: ProtocolID
    /// The network of the item.
    public let network: String
    /// The item to send.
    public let item: Broadcast.Item
    /// `signed`, `not_sent` or `unknown`.
    public let state: String
    /// True if this process is sending the item now and a result is still to come.
    public private(set) var isOnItsWay = false
    /// The time at which the item was signed.
    public let signed: Timestamp

    /// Makes an item; called by ledgers.
    public init(
        protocolID: ProtocolID, network: String, item: Broadcast.Item, state: String,
        signed: Timestamp
    ) {
        self.protocolID = protocolID
        self.network = network
        self.item = item
        self.state = state
        self.signed = signed
    }

    /// The item, marked as being sent.
    package var onItsWay: UnsentItem {
        var copy = self
        copy.isOnItsWay = true
        return copy
    }
}

extension Danger {
    /// An identical item was signed before, and it is unknown whether it was carried out.
    public static let unsettled = Danger("unsettled")
}

extension [UnsentItem] {
    /// The most items that a question names; the rest is only counted.
    private static var shownMax: Int { 5 }

    /// The lines that show these items to a person when an identical item is requested.
    public var lines: [Summary.Line] {
        let shown = prefix(Self.shownMax).map { item in
            Summary.Line(
                "signed before",
                "\(item.item.id), \(item.signed.utcText), "
                    + (item.isOnItsWay ? "on its way" : "outcome unknown")
            ).essential()
        }
        let more = count - shown.count
        return shown + (more > 0 ? [Summary.Line("signed before", "\(more) more")] : [])
    }
}
