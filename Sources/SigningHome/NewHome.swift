// SPDX-License-Identifier: Apache-2.0

package import SigningFiles
internal import SigningStorage

/// A new home, built in a folder inside the final one, so that it appears completely or not at all.
///
/// If the process is killed, the next call of `begin` removes the partial home; if the home was
/// complete, it moves the home into place.
package struct NewHome: ~Copyable {
    /// The result of starting a new home.
    package enum Beginning: ~Copyable {
        /// The home can be built.
        case begun(NewHome)
        /// An earlier process had completed a home and was killed; that home is in place now.
        case finished
        /// Another process is building a home here.
        case busy
        /// The folder contains a home already; this is one of its files.
        case taken(path: String)
    }

    /// The home under construction.
    package let home: Home
    private let place: Home
    private let lock: FolderLock

    /// The path of a file that shows that a folder contains a home; nil if it contains none.
    package static func fileInPlace(at path: String) throws(HomeError) -> String? {
        let place = Home(path: path)
        // A home that is complete but not yet in place is moved by `begin`.
        guard try Home.status(of: place.readyPath) == nil else { return nil }
        for file in [place.vaultPath, place.ledgerPath, place.policyPath]
        where try Home.status(of: file) != nil {
            return file
        }
        return nil
    }

    /// Starts a home in a folder, which is made if it does not exist.
    package static func begin(at path: String) throws(HomeError) -> Beginning {
        let place = try Home.create(at: path)
        guard let lock = try FolderLock(place.path) else { return .busy }
        guard try Home.status(of: place.readyPath) == nil else {
            try place.moveReady()
            return .finished
        }
        if let file = try fileInPlace(at: path) { return .taken(path: file) }
        try Home.removeFolder(place.makingPath)
        try Home.makeDirectory(place.makingPath)
        return .begun(NewHome(home: Home(path: place.makingPath), place: place, lock: lock))
    }

    /// Moves the home into place; its files must be closed.
    package consuming func finish() throws(HomeError) {
        try Home.move(home.path, to: place.readyPath)
        try Home.sync(place.path)
        try place.moveReady()
    }

    private init(home: Home, place: Home, lock: FolderLock) {
        self.home = home
        self.place = place
        self.lock = lock
    }
}

extension Home {
    fileprivate var makingPath: String { path + "/.making" }
    fileprivate var readyPath: String { path + "/.made" }

    /// Moves the files of a complete home into place, the vault last: a folder without a vault is
    /// not a home.
    fileprivate func moveReady() throws(HomeError) {
        let ready = Home(path: readyPath)
        let files =
            try Self.archiveFiles(in: ready)
            + [ready.freezeMarkPath, ready.ledgerPath, ready.policyPath, ready.vaultPath]
        for file in files {
            // The files `-wal` and `-shm` exist only if a process was killed while it used SQLite.
            for suffix in file.hasSuffix(".db") ? ["-wal", "-shm", ""] : [""] {
                guard try Self.status(of: file + suffix) != nil else { continue }
                let name = (file + suffix).dropFirst(ready.path.count)
                try Self.move(file + suffix, to: path + name)
            }
        }
        try Self.sync(path)
        try Self.removeFolder(readyPath)
        try Self.sync(path)
    }
}
