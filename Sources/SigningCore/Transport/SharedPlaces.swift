// SPDX-License-Identifier: Apache-2.0

/// A number of places that clients take and give back; no client can take all of them.
package struct SharedPlaces: Sendable {
    /// The reasons that a client receives no place.
    package enum Refusal: Error {
        /// The client has its maximum number of places.
        case ofClient
        /// All places, or those of the client's kind, are taken except a reserve for clients that
        /// have no place.
        case ofAll
    }

    /// The number of places and their distribution.
    package struct Shares: Sendable {
        let all: Int
        /// The most places of one client.
        let ofClient: Int
        /// The most places of one site in a browser profile.
        let ofSite: Int
        /// The most places of all clients of a kind that can have any number of clients.
        let ofKind: Int
        /// The number of places, of all and of each kind, reserved for clients that have none.
        let reserve: Int

        /// Sets the shares.
        package init(all: Int, ofClient: Int, ofSite: Int, ofKind: Int, reserve: Int) {
            self.all = all
            self.ofClient = ofClient
            self.ofSite = ofSite
            self.ofKind = ofKind
            self.reserve = reserve
        }
    }

    private let shares: Shares
    private(set) var count = 0
    private var ofClient: [CountedClient: Int] = [:]
    private var ofKind: [CountedClient.Kind: Int] = [:]

    /// Starts with all places free.
    package init(_ shares: Shares) { self.shares = shares }

    /// Takes a place for a client; the caller must give it back with `leave`.
    package mutating func take(_ client: CountedClient) throws(Refusal) {
        let own = ofClient[client, default: 0]
        let reserve = own == 0 ? 0 : shares.reserve
        let isKindFull =
            client.isOfMany && ofKind[client.kind, default: 0] >= shares.ofKind - reserve
        guard count < shares.all - reserve, !isKindFull else { throw .ofAll }
        guard own < (client.isPage ? shares.ofSite : shares.ofClient) else { throw .ofClient }
        count += 1
        ofClient[client] = own + 1
        ofKind[client.kind, default: 0] += 1
    }

    /// Gives a place back.
    package mutating func leave(_ client: CountedClient) {
        guard let own = ofClient[client] else { return }
        count -= 1
        ofClient[client] = own > 1 ? own - 1 : nil
        let kind = ofKind[client.kind] ?? 1
        ofKind[client.kind] = kind > 1 ? kind - 1 : nil
    }
}
