// SPDX-License-Identifier: Apache-2.0

/// Places that callers hold for a time and share, so that none takes those of all others.
package struct SharedPlaces: Sendable {
    /// Why a caller gets no place.
    package enum Refusal: Error {
        /// It holds as many as one caller may have.
        case ofCaller
        /// All of them are taken, all of its kind, or all but those for callers that hold none.
        case ofAll
    }

    /// How many places there are, and for whom.
    package struct Shares: Sendable {
        let all: Int
        /// The most that one caller holds.
        let ofCaller: Int
        /// The same for the pages of one site in a browser, of which a profile has many.
        let ofSite: Int
        /// The most that callers of one kind hold where nobody bounds how many there are.
        let ofKind: Int
        /// The last places of all, and as many of the last of a kind, go to callers that hold none.
        let reserve: Int

        /// Sets the shares.
        package init(all: Int, ofCaller: Int, ofSite: Int, ofKind: Int, reserve: Int) {
            self.all = all
            self.ofCaller = ofCaller
            self.ofSite = ofSite
            self.ofKind = ofKind
            self.reserve = reserve
        }
    }

    private let shares: Shares
    private(set) var count = 0
    private var ofCaller: [Caller: Int] = [:]
    private var ofKind: [Caller.Kind: Int] = [:]

    /// None is taken yet.
    package init(_ shares: Shares) { self.shares = shares }

    /// Takes one for a caller, which gives it back by `leave`.
    package mutating func take(_ caller: Caller) throws(Refusal) {
        let own = ofCaller[caller, default: 0]
        let reserve = own == 0 ? 0 : shares.reserve
        let isKindFull =
            caller.isOfMany && ofKind[caller.kind, default: 0] >= shares.ofKind - reserve
        guard count < shares.all - reserve, !isKindFull else { throw .ofAll }
        guard own < (caller.isPage ? shares.ofSite : shares.ofCaller) else { throw .ofCaller }
        count += 1
        ofCaller[caller] = own + 1
        ofKind[caller.kind, default: 0] += 1
    }

    /// Gives one back.
    package mutating func leave(_ caller: Caller) {
        guard let own = ofCaller[caller] else { return }
        count -= 1
        ofCaller[caller] = own > 1 ? own - 1 : nil
        let kind = ofKind[caller.kind] ?? 1
        ofKind[caller.kind] = kind > 1 ? kind - 1 : nil
    }
}
