// SPDX-License-Identifier: Apache-2.0

/// Something signed of which nobody knows yet what became of it.
public struct UnsentItem: Hashable, Sendable {
    /// The protocol.
    public let protocolID: ProtocolID
    /// The network it is for.
    public let network: String
    /// The item as it would be sent.
    public let item: Broadcast.Item
    /// `signed`, `not_sent` or `unknown`.
    public let state: String
    /// Whether this process is handing it to its network, and an outcome is to come.
    public private(set) var isOnItsWay = false
    /// When it was signed.
    public let signed: Timestamp

    /// Makes it of its parts; ledgers do.
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

    /// The same, while it is being handed over.
    package var onItsWay: UnsentItem {
        var copy = self
        copy.isOnItsWay = true
        return copy
    }
}

extension Danger {
    /// The same was signed before, and whether it was carried out is not known.
    public static let unsettled = Danger("unsettled")
}

extension [UnsentItem] {
    /// The most that a question names; the rest is counted.
    private static var shownMax: Int { 5 }

    /// What a person is shown of them where the same is asked again.
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
