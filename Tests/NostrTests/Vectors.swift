// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCodecs
import Testing

/// The vector files, read at run time.
enum Vectors {
    static func json(_ name: String) throws -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/nostr")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        return try JSON.parse(bytes.span)
    }

    static func rows(_ name: String, _ section: String) throws -> [JSON] {
        let rows = try #require(try json(name)[section]?.list)
        try #require(!rows.isEmpty)
        return rows
    }
}

extension JSON {
    /// A member that has to be a string.
    func required(_ name: String) throws -> String { try #require(self[name]?.text) }
}
