// SPDX-License-Identifier: Apache-2.0

/// Places that callers hold for a time and share, so that none takes those of all others.
package struct SharedPlaces: Sendable {
    /// Why a caller gets no place.
    package enum Refusal: Error {
        /// It holds as many as one caller may have.
        case ofClient
        /// All of them are taken, all of its kind, or all but those for callers that hold none.
        case ofAll
    }

    /// How many places there are, and for whom.
    package struct Shares: Sendable {
        let all: Int
        /// The most that one caller holds.
        let ofClient: Int
        /// The same for the pages of one site in a browser, of which a profile has many.
        let ofSite: Int
        /// The most that callers of one kind hold where nobody bounds how many there are.
        let ofKind: Int
        /// The last places of all, and as many of the last of a kind, go to callers that hold none.
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

    /// None is taken yet.
    package init(_ shares: Shares) { self.shares = shares }

    /// Takes one for a caller, which gives it back by `leave`.
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

    /// Gives one back.
    package mutating func leave(_ client: CountedClient) {
        guard let own = ofClient[client] else { return }
        count -= 1
        ofClient[client] = own > 1 ? own - 1 : nil
        let kind = ofKind[client.kind] ?? 1
        ofKind[client.kind] = kind > 1 ? kind - 1 : nil
    }
}
