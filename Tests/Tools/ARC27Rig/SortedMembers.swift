// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension JSON {
    /// The same value with sorted members, for comparisons that ignore their order.
    package var withSortedMembers: JSON {
        switch self {
        case .array(let list): return .array(list.map(\.withSortedMembers))
        case .object(let object):
            let members = object.members
                .map { JSONObject.Member(name: $0.name, value: $0.value.withSortedMembers) }
                .sorted { $0.name < $1.name }
            return .object(JSONObject(members))
        default: return self
        }
    }
}
