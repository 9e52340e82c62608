// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault
import Testing

/// Rules match the name and the tags of a key, so changing them changes the permissions.
@Suite("Names and groups of keys")
struct KeyChangeTests {
    private func bodies(_ rig: Rig) throws -> [JSON] {
        try AuditLog.open(rig.home.home).entries(limit: 10).filter { $0.kind == "key" }.map {
            try JSON.parse(Array($0.body.utf8).span)
        }
    }

    private func isWhole(_ rig: Rig) throws -> Bool {
        let report = try AuditLog.open(rig.home.home).verify(
            logPublicKey: rig.home.vault.logPublicKey(),
            lastKnownCheckpoint: rig.home.vault.lastCheckpoint())
        return report.problem == nil
    }

    @Test("are on record with the previous state, and the record is complete")
    func recorded() async throws {
        let rig = try Rig()
        let app = try #require(try rig.home.accounts().first)
        let tagged = try await rig.tag(app, with: ["cold", "bots"])
        #expect(tagged.tags == ["bots", "cold"])
        // Each command opens the home anew.
        let again = try OpenHome(at: rig.home.home.path, speaking: .builtIn)
        let renamed = try again.rename(tagged, to: "other", passphrase: rig.passphrase)
        #expect(renamed.name == "other")
        let bodies = try bodies(rig)
        #expect(bodies.map { $0["name"]?.text } == ["other", "app"])
        #expect(bodies.map { $0["key"]?.text } == [app.id.text, app.id.text])
        #expect(bodies.map { $0["before"]?["name"]?.text } == ["app", "app"])
        for body in bodies { #expect(body["tags"]?.list?.compactMap(\.text) == ["bots", "cold"]) }
        #expect(bodies.last?["before"]?["tags"]?.list?.isEmpty == true)
        #expect(try isWhole(rig))
    }

    @Test("that cannot be changed leave no entry")
    func refused() async throws {
        let rig = try Rig()
        let app = try #require(try rig.home.accounts().first)
        try rig.home.makeKey(.nostr, name: "taken", passphrase: rig.passphrase)
        let wrong = SecretBytes(copying: "not this one".utf8.span)
        await #expect(throws: VaultError.self) { try await rig.tag(app, with: ["two words"]) }
        #expect(throws: VaultError.self) {
            try rig.home.rename(app, to: "taken", passphrase: rig.passphrase)
        }
        await #expect(throws: (any Error).self) {
            try await OwnerActs.keyTag.perform(
                KeyTagging(app, with: ["bots"]), in: opened(rig), with: wrong, asking: Rig.nobody)
        }
        #expect(try bodies(rig).isEmpty)
    }

    /// Each change needs a home that was opened after the last one.
    private func opened(_ rig: Rig) throws -> OpenHome {
        try OpenHome(at: rig.home.home.path, speaking: .builtIn)
    }

    @Test("change by the acts of the owner, which need the passphrase")
    func acts() async throws {
        let rig = try Rig()
        let app = try #require(try rig.home.accounts().first)
        let wrong = SecretBytes(copying: "not this one".utf8.span)
        #expect(throws: ServiceError.self) {
            try OwnerActs.keyRename.perform(
                KeyRenaming(app, to: "other"), in: opened(rig), with: wrong)
        }
        await #expect(throws: (any Error).self) {
            try await OwnerActs.keyTag.perform(
                KeyTagging(app, with: ["bots"]), in: opened(rig), with: wrong, asking: Rig.nobody)
        }
        #expect(throws: ServiceError.self) {
            try OwnerActs.keyRemove.perform(app, in: opened(rig), with: wrong)
        }
        #expect(try bodies(rig).isEmpty && OwnerActs.keyList.perform((), in: opened(rig)) == [app])
        let tagged = try await rig.tag(app, with: ["bots"])
        #expect(tagged.tags == ["bots"])
        let other = try OwnerActs.keyRename.perform(
            KeyRenaming(tagged, to: "other"), in: opened(rig), with: rig.passphrase)
        #expect(try OwnerActs.keyList.perform((), in: opened(rig)) == [other])
        try OwnerActs.keyRemove.perform(other, in: opened(rig), with: rig.passphrase)
        #expect(try OwnerActs.keyList.perform((), in: opened(rig)).isEmpty)
        #expect(try isWhole(rig))
    }
}

extension Rig {
    /// Asks no approver.
    static let nobody: AskingPeople = { _, _ in
        throw ServiceError("approvers were asked", hint: nil)
    }

    /// Tags a key as a command does, which opens the home anew.
    @discardableResult
    func tag(
        _ account: Account, with tags: [String], asking: AskingPeople = Rig.nobody
    ) async throws -> Account {
        try await OwnerActs.keyTag.perform(
            KeyTagging(account, with: tags), in: OpenHome(at: path, speaking: .builtIn),
            with: passphrase, asking: asking)
    }
}
