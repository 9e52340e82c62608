// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The data of the server's thread about one connection.
struct HTTPLink {
    let socket: Int32
    let peer: Peer?
    let process: Int32
    /// The connection in the count of connections; nil if too many are open or it is refused.
    var place: Connection?
    /// The response to every request of a refused connection.
    let refusal: HTTPResponse?
    /// The time since which the server has been waiting for bytes of the client.
    var since = ContinuousClock.now
    /// The time at which the connection is closed unless the client sends or reads; nil for none.
    var deadline: ContinuousClock.Instant?
}

extension HTTPLink {
    /// Returns the connection that has been silent longest; nil if none was silent for
    /// `roomSeconds`.
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

/// The sizes of the bodies and frames in memory, by client, in bytes.
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

    /// Returns whether all bytes together, or those of one client, exceed their limit.
    ///
    /// A client may have a quarter of all, or `single` bytes if that is more.
    func isTooMuch(of countedClient: CountedClient?, onceAllowed single: Int) -> Bool {
        let most = SocketLimits.heldBytesMax
        return all > most || ofClient[countedClient, default: 0] > max(most / 4, single)
    }
}

/// The data of the server's thread about one request and its answer.
@safe struct HTTPExchange {
    /// The number of the request's connection.
    let link: Int
    /// The client of the connection.
    let countedClient: CountedClient?
    let head: HTTPHead
    /// The announced length of the body, at most the permitted one.
    let bodyBytes: Int
    var body: [UInt8] = []
    /// The task that answers the request; nil before its body is complete.
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
