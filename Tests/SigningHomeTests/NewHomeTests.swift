// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningFiles
import SigningHome
import TestHome
import Testing

@Suite("A home in the making")
struct NewHomeTests {
    let temporary: TemporaryHome

    init() throws { temporary = try TemporaryHome() }

    private struct NotBegun: Error {}

    private func begin() throws -> NewHome {
        switch try NewHome.begin(at: temporary.home.path) {
        case .begun(let new): return new
        default: throw NotBegun()
        }
    }

    private func expectNotBegun() {
        #expect(throws: NotBegun.self) { _ = try begin() }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: temporary.home.path).sorted()
    }

    private func write(_ bytes: [UInt8], to path: String) {
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
    }

    private func fill(_ home: Home) {
        for path in [home.vaultPath, home.ledgerPath, home.policyPath] {
            write(Array(path.utf8.suffix(5)), to: path)
        }
    }

    @Test("is nothing until it is finished, and begun anew where its maker was killed")
    func killed() throws {
        do {
            let new = try begin()
            fill(new.home)
        }
        #expect(try names() == [".making"])
        #expect(try NewHome.fileInPlace(at: temporary.home.path) == nil)
        let again = try begin()
        #expect(try FileManager.default.contentsOfDirectory(atPath: again.home.path).isEmpty)
        fill(again.home)
        try again.finish()
        #expect(try names() == ["ledger.db", "policy.toml", "vault.db"])
        #expect(try NewHome.fileInPlace(at: temporary.home.path) == temporary.home.vaultPath)
        expectNotBegun()
    }

    @Test("that was complete when its maker was killed is put in its place", arguments: 0...3)
    func complete(movedCount: Int) throws {
        let ready = temporary.home.path + "/.made"
        try FileManager.default.createDirectory(
            atPath: ready, withIntermediateDirectories: false)
        fill(Home(path: ready))
        for name in ["ledger.db", "policy.toml", "vault.db"].prefix(movedCount) {
            try FileManager.default.moveItem(
                atPath: ready + "/" + name, toPath: temporary.home.path + "/" + name)
        }
        expectNotBegun()
        #expect(try names() == ["ledger.db", "policy.toml", "vault.db"])
    }

    @Test(
        "is made by one process, and never where files of a home are",
        arguments: [
            "vault.db", "ledger.db", "policy.toml",
        ])
    func taken(name: String) throws {
        do {
            let new = try begin()
            expectNotBegun()
            _ = consume new
        }
        write(Array("x".utf8), to: temporary.home.path + "/" + name)
        expectNotBegun()
        #expect(
            FileManager.default.contents(atPath: temporary.home.path + "/" + name)
                == Data("x".utf8))
    }
}
