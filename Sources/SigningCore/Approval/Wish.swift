// SPDX-License-Identifier: Apache-2.0

/// Something a client would like to do later without anybody being asked.
public struct Wish: Hashable, Sendable {
    /// The method it is about.
    public let method: String
    /// The values it is bound to, all of fields that bound wishes; others may have any value.
    public let facts: [Fact]
    /// What such requests do.
    public let effects: [Effect]
    /// The flags such requests raise by their kind alone; others need a person again.
    public let dangers: [Danger]
    /// The wish in words.
    public let title: String
    /// Whether it can be granted ahead; one that is too wide is asked about every time.
    public let isGrantable: Bool
    /// The place of the operation whose key it is about.
    public let place: Int
    /// The longest that it is wished for, in seconds; nil for any time.
    public let secondsMax: Int64?

    /// Makes a wish; adapters do.
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

    /// How a wish stands before a person is asked about it.
    public enum Standing: Hashable, Sendable {
        /// Rules or a remembered answer already say yes.
        case granted
        /// A person may grant it.
        case open
        /// Each request is decided by itself: rules deny it or ask, or it is too wide.
        case closed
    }
}

/// A wish with how it stands.
public struct WishOffer: Hashable, Sendable {
    /// The wish.
    public let wish: Wish
    /// How it stands.
    public let standing: Wish.Standing
}

/// Which of the open wishes a person grants, and for how long.
public struct GrantedWishes: Hashable, Sendable {
    /// Places in the question's list of wishes.
    public let places: Set<Int>
    /// For how long.
    public let remembering: Remembering

    /// Makes a choice; approvers do.
    public init(_ places: Set<Int>, for remembering: Remembering) {
        self.places = places
        self.remembering = remembering
    }
}
