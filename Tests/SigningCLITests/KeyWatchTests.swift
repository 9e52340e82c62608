// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import SigningCLI

@Suite("Multisignature accounts, as the command line describes them")
struct KeyWatchTests {
    static let rows = AlgorandKeyTests.load("multisig.json")["addresses"]?.list ?? []

    private func watched(_ words: [String]) throws -> WatchedAccount {
        let arguments = try Arguments(words, options: CommandLineTool.keyWatch.options)
        return try WatchedAccount(arguments)
    }

    private func addresses(_ row: JSON) -> [String] {
        row["addrs"]?.list?.compactMap(\.text) ?? []
    }

    @Test("all vectors are there")
    func counts() { #expect(Self.rows.count == 7) }

    @Test("an account has the address others compute", arguments: rows)
    func vectors(row: JSON) throws {
        let threshold = try #require(row["threshold"]?.integerValue)
        let words = ["--protocol", "algorand", "--threshold", "\(threshold)"] + addresses(row)
        let watched = try watched(words)
        #expect(watched.address == row["address"]?.text)
        #expect(watched.members.version == 1 && watched.members.threshold == UInt8(threshold))
        #expect(watched.members.keys.count == addresses(row).count)
        #expect(watched.network == nil && watched.repeated == [])
        #expect(try self.watched(["--network", "testnet"] + words).network == "testnet")
    }

    @Test("order and repetition make another account, and repetition is reported")
    func repetition() throws {
        let all = addresses(try #require(Self.rows.last { addresses($0).count == 3 }))
        let head = ["--protocol", "algorand", "--threshold", "2"]
        let found = try [all, all.reversed(), all + [all[0]], all + [all[1]]].map {
            try watched(head + $0)
        }
        #expect(Set(found.map(\.address)).count == 4)
        #expect(found.map(\.repeated) == [[], [], [all[0]], [all[1]]])
        let widest = [String](repeating: all[0], count: 255)
        #expect(
            try watched(["--protocol", "algorand", "--threshold", "255"] + widest).members.keys
                .count
                == 255)
    }

    @Test("an invalid account is refused")
    func refusals() throws {
        let all = addresses(try #require(Self.rows.last { addresses($0).count == 3 }))
        func words(_ threshold: String?, _ list: [String], _ more: [String] = []) -> [String] {
            (more.isEmpty ? ["--protocol", "algorand"] : more)
                + (threshold.map { ["--threshold", $0] } ?? []) + list
        }
        let wrong = all[0].replacing("A", with: "B", maxReplacements: 1)
        let usage = [
            words("0", all), words("4", all), words("-1", all), words("two", all), words("", all),
            words(nil, all), words("1", []), words("1", [String](repeating: all[0], count: 256)),
            words("2", all, ["--protocol", "near"]), words("2", all, ["--protocol", "nostr"]),
            words("2", all, ["--protocol", "algorand", "--network", "betanet"]),
            words("2", all, ["--protocol", "algorand", "--path", "m"]),
            words("2", all, ["--network", "testnet"]),
        ]
        for words in usage {
            let error = CLIError(
                try #require(throws: (any Error).self, "\(words)") { try watched(words) })
            #expect(error.status == .usage && error.hint != nil)
        }
        for member in [wrong, "", "alice", String(all[0].dropLast()), all[0].lowercased()] {
            let error = try #require(throws: CLIError.self, "\(member)") {
                try watched(words("2", [all[1], member, all[2]]))
            }
            #expect(error.message.hasPrefix("member 2 is not an Algorand address"))
        }
    }

    @Test("members are called by the names of the keys held here")
    func names() throws {
        let watched = try watched(
            ["--protocol", "algorand", "--threshold", "2"]
                + addresses(try #require(Self.rows.last { addresses($0).count == 3 })))
        func account(
            _ name: String, _ family: String, _ key: [UInt8], _ members: MultisigMembers? = nil
        ) -> Account {
            Account(
                id: KeyID(name), name: name, protocolID: ProtocolID(family),
                algorithm: members == nil ? .ed25519 : .multisig, publicKey: key, address: name,
                network: nil, multisig: members)
        }
        let keys = watched.members.keys
        let joint = account("joint", "algorand", watched.publicKey, watched.members)
        let held = [
            account("other", "near", keys[0]), account("alice", "algorand", keys[1]),
            // A watched account does not hold the key of a member, even with the member's bytes.
            account("watched", "algorand", keys[2], watched.members), joint,
        ]
        let report = try #require(MemberReport(joint, among: held))
        #expect(report.members.map(\.name) == [nil, "alice", nil])
        #expect(report.line == "watch-only, 2 of 3, keys in this home: alice")
        let shown = KeyReport(try NEARKeyTests.invocation())
        let json = shown.json(joint, among: held)
        #expect(json["watch_only"] == true && json["multisig"]?["threshold"] == 2)
        #expect(json["multisig"]?["members"]?.list?[1]["name"] == "alice")
        #expect(MemberReport(held[1], among: held) == nil)
        #expect(shown.json(held[1], among: held)["multisig"] == .null)
        #expect(
            MemberReport(joint, among: [])?.line == "watch-only, 2 of 3, keys in this home: none")
    }
}

extension KeyWatchTests {
    private func rekeyed(_ words: [String]) throws -> RekeyedAccount {
        let arguments = try Arguments(words, options: CommandLineTool.keyWatch.options)
        let key = [UInt8](repeating: 1, count: 32)
        let held = Account(
            id: KeyID("1"), name: "new", protocolID: ProtocolID("algorand"), algorithm: .ed25519,
            publicKey: key, address: AlgorandAddress.text(publicKey: key.span),
            network: "testnet")
        return try RekeyedAccount(arguments, among: [held])
    }

    @Test("a rekeyed account has its own name, and the network of the key that signs")
    func rekeyedAccounts() throws {
        let key = [UInt8](repeating: 2, count: 32)
        let address = AlgorandAddress.text(publicKey: key.span)
        let watched = try rekeyed(["--signed-by", "new", address])
        #expect(watched.name == "new-for-\(address.prefix(6).lowercased())")
        #expect(watched.publicKey == key && watched.network == "testnet")
        #expect(try rekeyed(["--signed-by", "new", "--name", "old", address]).name == "old")
        let own = AlgorandAddress.text(publicKey: [UInt8](repeating: 1, count: 32).span)
        for words in [
            [own], ["--threshold", "1", address], [address, address], ["AAAA"],
            ["--network", "mainnet", address], ["--protocol", "near", address],
        ] {
            #expect(throws: CLIError.self) { try rekeyed(["--signed-by", "new"] + words) }
        }
        #expect(throws: CLIError.self) { try rekeyed(["--signed-by", "none", address]) }
    }
}
