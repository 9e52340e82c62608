// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningCLI

@Suite("Secrets among the arguments")
struct SecretArgumentTests {
    private static let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
    private static let near =
        "ed25519:3N6TYZVRrkQxh4BJZM8rQzVRdLUS4BBHXRMuBT1L3tykZR8keAxWhxjACFcZPTxNGtnQ"
        + "v2hQhx8bh1Bd9o3iYR5j"
    private static let words = [String](repeating: "abandon", count: 11) + ["about"]

    @Test(
        "every command refuses them, and no error repeats them",
        arguments: [
            ["key", "import", nsec], ["key", "import", nsec.uppercased()], ["key", "show", nsec],
            ["nostr", "note", nsec], ["key", "new", "--name=\(nsec)"], ["no-command", near],
            ["key", "import", "--name", "x", words.joined(separator: " ")],
            ["key", "import", "--name", "x"] + words + ["--quiet"],
            ["near", "send", near, "1 NEAR"],
        ])
    func refused(_ words: [String]) {
        do {
            try SecretArguments.check(words)
            Issue.record("accepted \(words)")
        } catch {
            let error = CLIError(error)
            #expect(error.status == .usage)
            #expect(error.message.contains("a secret does not belong among the arguments"))
            #expect(error.hint?.contains("standard input") == true)
            #expect(!"\(error)".contains("nsec1") && !"\(error)".contains("abandon"))
        }
    }

    @Test(
        "public keys, addresses and texts are no secrets",
        arguments: [
            ["key", "import", "--name", "x", "nsec1-backup.txt"],
            ["nostr", "note", "nsec1 is a secret"],
            ["verify", "ed25519:9uMmkWHWqnqwFcAhH2tS3x3cc4hzGKa5TGWFajMXGkDX"],
            ["verify", "ed25519:" + Base58.encode([UInt8](repeating: 7, count: 64).span)],
            ["audit", "show", String(repeating: "ab", count: 32)],
            ["nostr", "note"] + [String](repeating: "abandon", count: 12),
        ])
    func accepted(_ words: [String]) throws {
        try SecretArguments.check(words)
    }

    @Test("in place of a file also forms that are public elsewhere are refused")
    func inPlaceOfAFile() {
        let misspelt = Self.words.joined(separator: " ").replacing("about", with: "abbout")
        for text in [
            String(repeating: "ab", count: 32), String(repeating: "Ab9", count: 14), misspelt,
        ] {
            #expect(SecretArguments.isSecret(text))
        }
        for text in ["secret.txt", "./alice", "abc", "/"] {
            #expect(!SecretArguments.isSecret(text))
        }
    }
}
