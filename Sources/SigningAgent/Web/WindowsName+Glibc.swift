// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCrypto
internal import SigningFiles
package import SigningService
package import Web

/// The random host name of the pages that other sites open.
///
/// It is created once per home and kept in a file, as manifests and links that were handed out
/// contain it.
package enum WindowsName {
    /// Returns the name of a home; creates it the first time.
    package static func of(_ home: OpenHome) throws(ServiceError) -> WebName {
        let path = path(in: home.home.path)
        if let name = try read(path) { return name }
        let drawn = WebName(Randomness.bytes(WebName.byteCount))
        let part = "\(path).\(drawn.label)"
        try NewFile.write(Array("\(drawn.label)\n".utf8), to: part)
        // The link makes the file appear complete, and the first of two processes sets the name for
        // both.
        let isThere = unsafe link(part, path) == 0 || errno == EEXIST
        _ = unsafe unlink(part)
        guard isThere, let name = try read(path) else {
            throw ServiceError("\(path) cannot be written", hint: "is the disk full?")
        }
        return name
    }

    static func path(in home: String) -> String { "\(home)/web.name" }

    /// Returns the name in a file; nil if there is no file.
    private static func read(_ path: String) throws(ServiceError) -> WebName? {
        guard let file = Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
            if errno == ENOENT { return nil }
            throw ServiceError("\(path) cannot be opened", hint: "see \"countersign doctor\"")
        }
        let bytes = try Descriptor.readAll(file.number, name: path)
        guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n"),
            let name = WebName(label: String(text.dropLast()))
        else {
            throw ServiceError(
                "\(path) is damaged",
                hint: "remove it: a new name is made, which manifests and links need")
        }
        return name
    }
}
