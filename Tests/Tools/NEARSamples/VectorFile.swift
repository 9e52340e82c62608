// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import SigningCodecs

/// Files of Tests/Vectors, read at run time.
package enum VectorFile {
    package static func near(_ name: String) -> JSON { read("Vectors/near/\(name)") }

    /// A file under Tests, or null where it cannot be read.
    package static func read(_ path: String) -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = folder.appending(path: path)
        guard let data = try? Data(contentsOf: url), let json = try? JSON.parse([UInt8](data).span)
        else { return nil }
        return json
    }
}
