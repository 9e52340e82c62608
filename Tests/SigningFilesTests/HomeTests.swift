// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import TestHome
import Testing

@testable import SigningFiles

@Suite struct HomeTests {
    let temporary: TemporaryHome
    var path: String { temporary.home.path }

    init() throws {
        temporary = try TemporaryHome()
    }

    @Test("A home is made for its owner alone, with everything above it")
    func create() throws {
        let home = try Home.create(at: path + "/a/b/")
        #expect(home.path == path + "/a/b")
        for directory in [path, path + "/a", path + "/a/b"] {
            #expect(try Home.status(of: directory)?.mode == 0o700)
        }
        #expect(try Home.create(at: path + "/a/b") == home)
        #expect(try Home.open(at: path + "/a/b/") == home)
    }

    @Test("A home that others can look into is refused with the command that mends it")
    func readable() throws {
        for mode: mode_t in [0o750, 0o705, 0o711, 0o777] {
            unsafe chmod(path, mode)
            let error = HomeError.readableByOthers(path: path, mode: mode)
            #expect(throws: error) { try Home.open(at: path) }
            #expect(throws: error) { try Home.create(at: path) }
            #expect(error.fix == "chmod 700 \(path)")
            #expect(error.text.contains("0" + String(mode, radix: 8)))
        }
        unsafe chmod(path, 0o700)
        _ = try Home.open(at: path)
    }

    @Test("Files that others can read are refused")
    func files() throws {
        let home = temporary.home
        for file in [home.vaultPath, home.ledgerPath, home.vaultPath + "-wal"] {
            try home.makeFile(file)
            _ = try Home.open(at: path)
            unsafe chmod(file, 0o640)
            let error = HomeError.readableByOthers(path: file, mode: 0o640)
            #expect(throws: error) { try Home.open(at: path) }
            #expect(error.fix == "chmod 600 \(file)")
            unsafe chmod(file, 0o600)
        }
        // Reading the policy file checks who can change it; the policy in force is in the vault.
        try home.makeFile(home.policyPath)
        unsafe chmod(home.policyPath, 0o666)
        _ = try Home.open(at: path)
    }

    @Test("A missing folder or a file in its place is refused")
    func missing() throws {
        #expect(throws: HomeError.missing(path: path + "/no")) { try Home.open(at: path + "/no") }
        try temporary.home.makeFile(path + "/file")
        #expect(throws: HomeError.notADirectory(path: path + "/file")) {
            try Home.open(at: path + "/file")
        }
        #expect(throws: HomeError.failed(path: path + "/file/a", code: ENOTDIR)) {
            try Home.create(at: path + "/file/a")
        }
    }

    @Test("A folder of another user is refused", .enabled(if: geteuid() == 0))
    func owner() throws {
        try temporary.home.makeFile(temporary.home.vaultPath)
        unsafe chown(temporary.home.vaultPath, 12_345, 0)
        #expect(throws: HomeError.wrongOwner(path: temporary.home.vaultPath, userID: 12_345)) {
            try Home.open(at: path)
        }
        unsafe chown(path, 12_345, 0)
        #expect(throws: HomeError.wrongOwner(path: path, userID: 12_345)) {
            try Home.open(at: path)
        }
    }

    @Test("Vault, ledger and home belong to the user alone", .enabled(if: geteuid() == 0))
    func foreignOwner() throws {
        let home = temporary.home
        let userID: UInt32 = 12_345
        for file in [home.vaultPath, home.ledgerPath] { try home.makeFile(file) }
        for file in [path, home.vaultPath, home.ledgerPath] { unsafe chown(file, userID, 0) }
        #expect(try Home.open(at: path, as: userID) == home)
        for (file, owner) in [(home.ledgerPath, 0), (home.vaultPath, 0), (path, 0)]
            as [(String, UInt32)]
        {
            unsafe chown(file, owner, 0)
            #expect(throws: HomeError.wrongOwner(path: file, userID: owner)) {
                try Home.open(at: path, as: userID)
            }
        }
    }

    @Test("A policy of root's passes, for every user that runs this")
    func linkedPolicy() throws {
        #expect(unsafe symlink("/etc/passwd", temporary.home.policyPath) == 0)
        _ = try Home.open(at: path)
    }
}
