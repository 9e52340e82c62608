// SPDX-License-Identifier: Apache-2.0

/// A permission that a client requests so that later requests need no question.
public struct Wish: Hashable, Sendable {
    /// The method of the later requests.
    public let method: String
    /// The values that later requests must have; fields that do not bound wishes may vary.
    public let facts: [Fact]
    /// The effects of such requests.
    public let effects: [Effect]
    /// The dangers that such requests always have; other dangers need a person again.
    public let dangers: [Danger]
    /// The wish in words.
    public let title: String
    /// True if the wish can be granted; if not, a person is asked about each later request.
    public let isGrantable: Bool
    /// The index of the operation whose key the wish is about.
    public let place: Int
    /// The longest time that the client wishes for, in seconds; nil for no limit.
    public let secondsMax: Int64?

    /// Makes a wish; called by the wire `Connect` and by `NostrPermission` of the Nostr wires.
    public init(
        method: String, facts: [Fact], effects: [Effect], dangers: [Danger], title: String,
        isGrantable: Bool, place: Int = 0, secondsMax: Int64? = nil
    ) {
        self.method = method
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.title = title
        self.isGrantable = isGrantable
        self.place = place
        self.secondsMax = secondsMax
    }

    /// The state of a wish before a person is asked about it.
    public enum State: Hashable, Sendable {
        /// Rules or a remembered answer already allow the wish.
        case granted
        /// A person may grant the wish.
        case open
        /// Each request is decided separately: rules deny it or ask, or the wish is too wide.
        case closed
    }
}

/// A wish with its state.
public struct WishOffer: Hashable, Sendable {
    /// The wish.
    public let wish: Wish
    /// The state of the wish.
    public let state: Wish.State
}

/// The open wishes that a person grants, and the time for which they hold.
public struct GrantedWishes: Hashable, Sendable {
    /// Indexes into the question's list of wishes.
    public let places: Set<Int>
    /// The time and limits of the grants.
    public let remembering: Remembering

    /// Makes a choice; called by approvals.
    public init(_ places: Set<Int>, for remembering: Remembering) {
        self.places = places
        self.remembering = remembering
    }
}
