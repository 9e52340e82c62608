// SPDX-License-Identifier: Apache-2.0

/// A home under construction in a folder inside its final one; it appears completely or not at all.
///
/// If the process is killed, the next call removes the partial home or, if it is complete, moves it
/// into place.
package struct NewHome: ~Copyable {
    /// The result of starting a new home.
    package enum Beginning: ~Copyable {
        /// The home can be built.
        case begun(NewHome)
        /// An earlier process was killed after completing a home, which is in place now.
        case finished
        /// Another process is building a home here.
        case busy
        /// This file of a home exists already.
        case taken(path: String)
    }

    /// The home under construction.
    package let home: Home
    private let place: Home
    private let lock: FolderLock

    /// The first existing file of a home at a path; nil if absent.
    package static func fileInPlace(at path: String) throws(HomeError) -> String? {
        let place = Home(path: path)
        // A complete home may still wait to be moved into place.
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

    /// Moves a complete home into place, the vault last: without it there is no home.
    fileprivate func moveReady() throws(HomeError) {
        let ready = Home(path: readyPath)
        let files =
            try Self.segmentFiles(in: ready)
            + [ready.freezeMarkPath, ready.ledgerPath, ready.policyPath, ready.vaultPath]
        for file in files {
            // These files exist only if SQLite was killed.
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
