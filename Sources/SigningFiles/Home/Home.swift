// SPDX-License-Identifier: Apache-2.0

/// The directory that contains policy, vault and ledger; only its owner can read it.
package struct Home: Hashable, Sendable {
    /// The path of the directory.
    package let path: String

    /// The path of the policy file.
    package var policyPath: String { path + "/policy.toml" }
    /// The path of the vault, the database of sealed keys.
    package var vaultPath: String { path + "/vault.db" }
    /// The path of the ledger, the database of entries and limits.
    package var ledgerPath: String { path + "/ledger.db" }
    /// The path of an empty file; locks on its bytes mark the requests that are being answered.
    package var waitingPath: String { path + "/waiting.lock" }

    /// The paths of a database and of the files that SQLite keeps beside it.
    package static func withCompanions(_ path: String) -> [String] {
        [path, path + "-wal", path + "-shm"]
    }

    /// Opens an existing directory; throws if other users can read it or own it.
    package static func open(at path: String) throws(HomeError) -> Home {
        try open(at: path, as: currentUserID)
    }

    /// Opens an existing directory that must belong to this user.
    package static func open(at path: String, as userID: UInt32) throws(HomeError) -> Home {
        let home = Home(path: path)
        try checkDirectory(home.path, userID)
        for file in home.privateFiles {
            guard let status = try status(of: file) else { continue }
            try status.checkOwner(is: userID)
            try status.checkIsPrivate()
        }
        return home
    }

    /// Makes the directory, and missing ones above it, with mode 0700; opens an existing one.
    package static func create(at path: String) throws(HomeError) -> Home {
        let home = Home(path: path)
        try makeDirectories(home.path)
        return try open(at: home.path)
    }

    /// The command that brings the files of a home to the formats of this version.
    package static let upgradeCommand = "countersign repair format"

    /// Makes a value for the directory at a path, without reading the directory.
    package init(path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    private var privateFiles: [String] {
        [vaultPath, ledgerPath].flatMap(Self.withCompanions)
    }

    private static func checkDirectory(
        _ path: String, _ userID: UInt32
    ) throws(HomeError) {
        guard let status = try status(of: path) else { throw .missing(path: path) }
        guard status.isDirectory else { throw .notADirectory(path: path) }
        try status.checkOwner(is: userID)
        try status.checkIsPrivate()
    }

    private static func makeDirectories(_ path: String) throws(HomeError) {
        guard try status(of: path) == nil else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeDirectories(String(path[..<slash]))
        }
        try makeDirectory(path)
    }
}
