// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The file from which libpq reads passwords.
enum PasswordFile {
    /// The path of the password file: `name` if given, otherwise PGPASSFILE, otherwise ~/.pgpass.
    ///
    /// Nil if none is given and the user has no home directory.
    static func path(named name: String?) -> String? {
        name ?? variable("PGPASSFILE") ?? variable("HOME").map { $0 + "/.pgpass" }
    }

    /// The path of the password file for libpq; nil if there is no file.
    ///
    /// Throws if others may read the file: libpq would skip it and only write a warning to standard
    /// error.
    static func checked(named name: String?) throws(PostgresError) -> String? {
        guard let path = path(named: name) else { return nil }
        var entry = stat()
        guard unsafe stat(path, &entry) == 0 else {
            let isDefault = name == nil && variable("PGPASSFILE") == nil
            if isDefault, errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreachable(
                "the password file \(path) cannot be read: check the path and its permissions")
        }
        guard entry.st_mode & S_IFMT == S_IFREG else {
            throw .unreachable("the password file \(path) is not a file")
        }
        guard entry.st_mode & 0o077 == 0 else {
            throw .unreachable(
                "the password file \(path) can be read by others: chmod 600 it, and change the"
                    + " password if others may have read it")
        }
        return path
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
