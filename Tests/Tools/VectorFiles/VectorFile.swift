// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import SigningCodecs

/// Files of Tests/Vectors, read at run time.
package enum VectorFile {
    /// A missing file, or a missing member of a file.
    package struct Missing: Error {
        package let name: String

        package init(_ name: String) { self.name = name }
    }

    private static let bytesMax = 4 << 20

    /// Reads a required file under Tests.
    package static func load(_ path: String) throws -> JSON {
        let json = read(path)
        guard !json.isNull else { throw Missing(path) }
        return json
    }

    /// Reads a file under Tests; null if it cannot be read.
    package static func read(_ path: String) -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = folder.appending(path: path)
        guard let data = try? Data(contentsOf: url),
            let json = try? JSON.parse([UInt8](data).span, limits: JSONLimits(bytesMax: bytesMax))
        else { return nil }
        return json
    }
}
