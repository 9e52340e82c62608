// SPDX-License-Identifier: Apache-2.0

/// A home in the making, in a folder inside its own: it is there as a whole or not at all.
///
/// Whatever is killed on the way leaves what the next maker removes or, once it is complete,
/// moves to its place.
package struct NewHome: ~Copyable {
    /// What came of beginning one.
    package enum Beginning: ~Copyable {
        /// It can be made.
        case begun(NewHome)
        /// An earlier maker was killed when it was done; what it made is in its place now.
        case finished
        /// Another process makes one here at this moment.
        case busy
        /// This file of a home is there already.
        case taken(path: String)
    }

    /// Where everything is made.
    package let home: Home
    private let place: Home
    private let lock: FolderLock

    /// The first file of a home at a path; nil where there is none.
    package static func fileInPlace(at path: String) throws(HomeError) -> String? {
        let place = Home(path: path)
        // One that is complete waits for its last steps.
        guard try Home.status(of: place.readyPath) == nil else { return nil }
        for file in [place.vaultPath, place.ledgerPath, place.policyPath]
        where try Home.status(of: file) != nil {
            return file
        }
        return nil
    }

    /// Begins a home in a folder, which is made where it is not there.
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

    /// Puts the home in its place; everything in it must be closed.
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

    /// Moves what is complete to its place, the vault last: without it there is no home.
    fileprivate func moveReady() throws(HomeError) {
        let ready = Home(path: readyPath)
        let files =
            try Self.segmentFiles(in: ready)
            + [ready.freezeMarkPath, ready.ledgerPath, ready.policyPath, ready.vaultPath]
        for file in files {
            // SQLite leaves these only where it was killed.
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
