// SPDX-License-Identifier: Apache-2.0

/// Shared places that clients hold for a time; no client can take all of them.
package struct SharedPlaces: Sendable {
    /// The reasons that a client receives no place.
    package enum Refusal: Error {
        /// The client holds its maximum.
        case ofClient
        /// All places are taken, or those of its kind, or only the reserve for clients without a
        /// place is left.
        case ofAll
    }

    /// The number of places and their distribution.
    package struct Shares: Sendable {
        let all: Int
        /// The most places of one client.
        let ofClient: Int
        /// The most places of one site in a browser; a profile has many sites.
        let ofSite: Int
        /// The most places of all clients of a kind whose number of clients is unlimited.
        let ofKind: Int
        /// The last places in all and of a kind, which are reserved for clients that hold none.
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

    /// Takes a place for a client, which `leave` gives back.
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
