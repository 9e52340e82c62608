// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// One connection, as the server's thread knows it.
struct HTTPLink {
    let socket: Int32
    let peer: Peer?
    let process: Int32
    /// Its place among those there may be; nil where it has none, and is told so.
    var place: Connection?
    /// What it is told in place of an answer.
    let refusal: HTTPResponse?
    /// Since when its client has had the word.
    var since = ContinuousClock.now
    /// When it is cut, unless it goes on before.
    var deadline: ContinuousClock.Instant?
}

extension HTTPLink {
    /// The one whose client has been silent longest, if that is long, without those that are
    /// worked for.
    static func silent(in links: [Int: HTTPLink], but worked: Set<Int>) -> (Int, HTTPLink)? {
        let waiting = links.filter { $0.value.place != nil && !worked.contains($0.key) }
        guard let (number, link) = waiting.min(by: { $0.value.since < $1.value.since }),
            link.since + .seconds(SocketLimits.roomSeconds) <= .now
        else { return nil }
        return (number, link)
    }
}

/// The bodies and frames that are held at one time, in bytes, by whom they are from.
struct HeldBytes {
    private(set) var all = 0
    private var ofClient: [CountedClient?: Int] = [:]

    /// Adds so many, or takes them away again.
    mutating func add(_ count: Int, of countedClient: CountedClient?) {
        guard count != 0 else { return }
        all += count
        let own = ofClient[countedClient, default: 0] + count
        ofClient[countedClient] = own == 0 ? nil : own
    }

    /// Whether there are more than may be held, of all callers or of one, who may have a fourth; a
    /// single body is no more than that whatever its size.
    func isTooMuch(of countedClient: CountedClient?, onceAllowed single: Int) -> Bool {
        let most = SocketLimits.heldBytesMax
        return all > most || ofClient[countedClient, default: 0] > max(most / 4, single)
    }
}

/// One request and its answer, as the server's thread knows them.
@safe struct HTTPExchange {
    /// What it came by.
    let link: Int
    /// Whose connection that is.
    let countedClient: CountedClient?
    let head: HTTPHead
    /// What its head says is to come, and no more than is ever taken.
    let bodyBytes: Int
    var body: [UInt8] = []
    /// What works on it.
    var task: Task<Void, Never>?
    /// The library's name for it, while it rests there.
    var resting: OpaquePointer?
    /// Whether it is told when its client leaves.
    var isWatched = false
    var response: HTTPResponse?
    /// The library's name for it, while a stream is its answer.
    var streaming: OpaquePointer?

    init(link: Int, of countedClient: CountedClient?, head: HTTPHead, bodyBytesMax: Int) {
        self.link = link
        self.countedClient = countedClient
        self.head = head
        bodyBytes = min(max(head.bodyBytes, 0), bodyBytesMax)
    }
}
