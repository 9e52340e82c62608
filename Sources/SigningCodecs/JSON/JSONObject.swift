// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object in source order.
public struct JSONObject: Hashable, Sendable {
    /// A name and its value.
    public struct Member: Hashable, Sendable {
        /// The name after unescaping.
        public var name: String
        /// The value.
        public var value: JSON

        /// Pairs a name with a value.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The members; names must be distinct.
    public var members: [Member]

    /// Makes an object of members with distinct names.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// The names in source order.
    public var names: [String] { members.map(\.name) }

    /// The value of the member whose name has exactly these bytes.
    public subscript(name: String) -> JSON? {
        for place in members.indices where UTF8Text.isSame(members[place].name, name) {
            return members[place].value
        }
        return nil
    }
}
