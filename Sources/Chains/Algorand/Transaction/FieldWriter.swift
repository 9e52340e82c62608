// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// Collects the members of a map and leaves out zero values; the codec sorts the members.
package struct FieldWriter {
    private var members: [MessagePackMember] = []

    package init() { members.reserveCapacity(16) }

    package var map: MessagePack { .map(members) }

    package mutating func add(_ name: String, _ integer: UInt64) {
        guard integer != 0 else { return }
        append(name, .unsigned(integer))
    }

    package mutating func add(_ name: String, _ flag: Bool) {
        if flag { append(name, .bool(true)) }
    }

    package mutating func add(_ name: String, _ bytes: [UInt8]?) {
        if let bytes { append(name, .binary(bytes)) }
    }

    package mutating func add(_ name: String, _ text: String?) {
        if let text { append(name, .text(text)) }
    }

    package mutating func add(_ name: String, _ text: AssetText?) {
        switch text {
        case nil: break
        case .text(let text)?: append(name, .text(text))
        case .bytes(let bytes)?: append(name, .textBytes(bytes))
        }
    }

    package mutating func addUnlessEmpty(_ name: String, _ bytes: [UInt8]) {
        if !bytes.isEmpty { append(name, .binary(bytes)) }
    }

    /// Adds a list, including elements that are zero.
    package mutating func add(_ name: String, _ elements: [MessagePack]) {
        if !elements.isEmpty { append(name, .array(elements)) }
    }

    package mutating func add(_ name: String, _ fields: FieldWriter) {
        if !fields.members.isEmpty { append(name, fields.map) }
    }

    private mutating func append(_ name: String, _ value: MessagePack) {
        members.append(MessagePackMember(name: name, value: value))
    }
}
