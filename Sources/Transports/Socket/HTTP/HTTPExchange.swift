// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// A connection in the data of the server's thread.
struct HTTPLink {
    let socket: Int32
    let peer: Peer?
    let process: Int32
    /// The place of the connection; nil if it has none and is refused.
    var place: Connection?
    /// The response to every request of a refused connection.
    let refusal: HTTPResponse?
    /// The time since which the client has to send the next bytes.
    var since = ContinuousClock.now
    /// The time at which it is closed without progress.
    var deadline: ContinuousClock.Instant?
}

extension HTTPLink {
    /// Returns the connection that has been silent longest, if longer than the minimum.
    ///
    /// Connections with a request in progress are not considered.
    static func silent(in links: [Int: HTTPLink], but worked: Set<Int>) -> (Int, HTTPLink)? {
        let waiting = links.filter { $0.value.place != nil && !worked.contains($0.key) }
        guard let (number, link) = waiting.min(by: { $0.value.since < $1.value.since }),
            link.since + .seconds(SocketLimits.roomSeconds) <= .now
        else { return nil }
        return (number, link)
    }
}

/// The bodies and frames in memory, in bytes, by client.
struct HeldBytes {
    private(set) var all = 0
    private var ofClient: [CountedClient?: Int] = [:]

    /// Adds bytes, or removes them if negative.
    mutating func add(_ count: Int, of countedClient: CountedClient?) {
        guard count != 0 else { return }
        all += count
        let own = ofClient[countedClient, default: 0] + count
        ofClient[countedClient] = own == 0 ? nil : own
    }

    /// Returns whether the total or one client's share is too large.
    ///
    /// A client may have a quarter, or one body of any permitted size.
    func isTooMuch(of countedClient: CountedClient?, onceAllowed single: Int) -> Bool {
        let most = SocketLimits.heldBytesMax
        return all > most || ofClient[countedClient, default: 0] > max(most / 4, single)
    }
}

/// A request and its answer in the data of the server's thread.
@safe struct HTTPExchange {
    /// The number of its connection.
    let link: Int
    /// The client of the connection.
    let countedClient: CountedClient?
    let head: HTTPHead
    /// The announced length of the body, at most the permitted one.
    let bodyBytes: Int
    var body: [UInt8] = []
    /// The task that answers it.
    var task: Task<Void, Never>?
    /// The library's connection while the request is suspended.
    var resting: OpaquePointer?
    /// True if the server is notified when the client leaves.
    var isWatched = false
    var response: HTTPResponse?
    /// The library's connection while the answer is a stream.
    var streaming: OpaquePointer?

    init(link: Int, of countedClient: CountedClient?, head: HTTPHead, bodyBytesMax: Int) {
        self.link = link
        self.countedClient = countedClient
        self.head = head
        bodyBytes = min(max(head.bodyBytes, 0), bodyBytesMax)
    }
}
