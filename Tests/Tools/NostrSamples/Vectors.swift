// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
import VectorFiles

/// The files of Tests/Vectors/nostr.
package enum Vectors {
    package static func json(_ name: String) throws -> JSON {
        try VectorFile.load("Vectors/nostr/\(name)")
    }

    package static func rows(_ name: String, _ section: String) throws -> [JSON] {
        guard let rows = try json(name)[section]?.list, !rows.isEmpty else {
            throw VectorFile.Missing("\(section) of \(name)")
        }
        return rows
    }
}

extension JSON {
    /// A required member with a text.
    package func required(_ name: String) throws -> String {
        guard let text = self[name]?.text else { throw VectorFile.Missing(name) }
        return text
    }
}
