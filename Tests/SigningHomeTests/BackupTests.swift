// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("A backup of a home")
struct BackupTests {
    let temporary: TemporaryHome
    let vault: Vault
    let path: String
    /// Fills more than one box of the file.
    let policy = Data("version = 1\n".utf8) + Data(count: 3 * Backup.boxBytesMax)

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try vault.addNostr("alice", 1)
        try vault.attest(
            policy: [1], hash: [UInt8](repeating: 9, count: 32), at: Timestamp(seconds: 1_000),
            in: ledger)
        try policy.write(to: URL(filePath: temporary.home.policyPath))
        path = temporary.home.path + "/a.backup"
    }

    private func create() throws {
        try Backup.create(
            of: temporary.home, vault, to: path, passphrase: secret("pass"), parameters: .floor)
    }

    private func extract(_ passphrase: String = "pass") throws -> TemporaryHome {
        let other = try TemporaryHome()
        try Backup.extract(path, to: other.home, passphrase: secret(passphrase))
        return other
    }

    @Test("holds everything, opens by its passphrase alone, and is for its owner's eyes")
    func roundTrip() throws {
        try create()
        let status = try #require(try Home.status(of: path))
        #expect(status.mode == 0o600)
        let bytes = try #require(FileManager.default.contents(atPath: path).map { Array($0) })
        #expect(bytes.count > 2 * Backup.boxBytesMax)
        #expect(!bytes.contains(sequence: Array("npub-alice".utf8)))
        let other = try extract()
        _ = try Home.open(at: other.home.path)
        let restored = try other.openVault()
        #expect(try restored.accounts() == vault.accounts())
        let ledger = try SQLiteLedger.open(other.home)
        try Checkpointer(vault: restored, ledger: ledger, environment: FixedEnvironment()).check()
        let report = try AuditLog.open(other.home).verify(
            logPublicKey: restored.logPublicKey(), lastKnownCheckpoint: restored.lastCheckpoint())
        #expect(report.problem == nil && report.entryCount == 1)
        #expect(FileManager.default.contents(atPath: other.home.policyPath) == policy)
        #expect(throws: BackupError.wrongPassphrase) { _ = try extract("other") }
        // Neither the file nor a home is overwritten.
        #expect(throws: BackupError.self) { try create() }
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        #expect(throws: BackupError.self) {
            try Backup.extract(path, to: other.home, passphrase: secret("pass"))
        }
    }

    @Test("that was cut short or changed anywhere is refused")
    func damaged() throws {
        try create()
        let bytes = try #require(FileManager.default.contents(atPath: path).map { Array($0) })
        let url = URL(filePath: path)
        let box = Backup.boxBytesMax + AEAD.overheadCount + 4
        let start = Backup.magic.count + PasswordHash.saltCount + 8
        for end in [0, 5, start, start + 3, start + box, start + 2 * box, bytes.count - 1] {
            try Data(bytes.prefix(end)).write(to: url)
            #expect(throws: BackupError.self, "\(end)") { _ = try extract() }
        }
        for place in [0, start - 30, start - 1, start + 2, start + 100, bytes.count - 1] {
            var changed = bytes
            changed[place] ^= 1
            try Data(changed).write(to: url)
            #expect(throws: BackupError.self, "\(place)") { _ = try extract() }
        }
        // The file with two boxes exchanged.
        let boxes = [0, 1].map { Array(bytes[start + $0 * box..<start + ($0 + 1) * box]) }
        let swapped = Array(bytes[..<start]) + boxes[1] + boxes[0] + bytes[(start + 2 * box)...]
        try Data(swapped).write(to: url)
        #expect(throws: BackupError.self) { _ = try extract() }
    }

    @Test("has its name only once it is complete, and what a killed process left is no obstacle")
    func unfinished() throws {
        let part = path + ".countersign-part"
        try Data("left".utf8).write(to: URL(filePath: part))
        do {
            let output = try NewFileWriter(completing: path)
            try output.write([1, 2, 3])
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: part))
        let output = try NewFileWriter(completing: path)
        try output.write([1, 2, 3])
        // Another file that gets the name meanwhile stays as it is.
        try Data("other".utf8).write(to: URL(filePath: path))
        #expect(throws: HomeError.self) { try output.finish() }
        #expect(FileManager.default.contents(atPath: path) == Data("other".utf8))
        try FileManager.default.removeItem(atPath: path)
        try create()
        _ = try extract()
        #expect(!FileManager.default.fileExists(atPath: part))
    }

    @Test("is made of a damaged home as well")
    func damagedHome() throws {
        try temporary.editVault("UPDATE policy SET seal = zeroblob(32)")
        let vault = try Vault.open(temporary.home, domains: TestDomains.registry)
        try Backup.create(
            of: temporary.home, vault, to: path, passphrase: secret("pass"), parameters: .floor)
        _ = try extract()
        #expect(throws: BackupError.vault(.wrongPassphrase)) {
            try Backup.create(
                of: temporary.home, vault, to: path + "2", passphrase: secret("no"),
                parameters: .floor)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
