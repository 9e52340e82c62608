// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningService

/// A file of contacts: a line each, with name, address, network and note between tabs.
package enum ContactsFile {
    /// The longest file, in bytes.
    package static let bytesMax = 262_144
    private static let columnsMax = 4

    /// Returns the contacts of a file; throws if one line is wrong.
    ///
    /// `known` are the contacts of the home and `accounts` its keys. Network and note may be
    /// missing or empty. Empty lines, and lines that begin with `#`, are comments.
    package static func read(
        _ bytes: [UInt8], among known: Contacts, beside accounts: [Account]
    ) throws(ServiceError) -> [Contact] {
        guard bytes.count <= bytesMax else {
            throw ServiceError(
                "the file is larger than \(bytesMax >> 10) KiB",
                hint: "check that it is the right file")
        }
        // Some editors write a mark of the byte order, which UTF-8 does not need.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ServiceError("the file is not text in UTF-8", hint: "save it as UTF-8")
        }
        var (all, new) = (known, [Contact]())
        // A line end of DOS is one character of Swift.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, scalars) in lines.enumerated() {
            let line = String(scalars.last == "\r" ? scalars.dropLast() : scalars)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(ServiceError) {
                let contact = try contact(in: line)
                try all.add(contact, beside: accounts)
                new.append(contact)
            } catch {
                throw ServiceError(
                    "line \(index + 1): \(error.message); no contact was added", hint: error.hint)
            }
        }
        guard !new.isEmpty else {
            throw ServiceError(
                "the file has no contact",
                hint: "write a line for each: name, address, network and note between tabs")
        }
        return new
    }

    private static func contact(in line: String) throws(ServiceError) -> Contact {
        let columns = line.unicodeScalars.split(separator: "\t", omittingEmptySubsequences: false)
            .map(String.init)
        guard (2...columnsMax).contains(columns.count) else {
            throw ServiceError(
                "the line has \(columns.count) column\(columns.count == 1 ? "" : "s")",
                hint: columns.count == 1 && line.contains(" ")
                    ? "write a tab between name and address, not spaces"
                    : "write name, address, network and note between tabs; the last two may miss")
        }
        let network = columns.count > 2 && !columns[2].isEmpty ? columns[2] : nil
        return try Contact(
            name: columns[0], address: try ContactAddress(columns[1]), network: network,
            note: columns.count > 3 ? columns[3] : "")
    }
}
