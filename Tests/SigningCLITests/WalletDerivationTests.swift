// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCrypto
import SigningService
import Testing

@testable import SigningCLI

@Suite("Keys of the words of Algorand wallets, by scheme")
struct WalletDerivationTests {
    /// The words of the tests of Ledger's app, which expect an address for account 123.
    private static let ledger =
        "glory promote mansion idle axis finger extra february uncover one trip resource lawn"
        + " turtle enact monster seven myth punch hobby comfort wild raise skin"
    /// The words of the tests of bip_utils, for wallets of several coins.
    private static let abandon =
        [String](repeating: "abandon", count: 11).joined(separator: " ") + " about"

    private func made(_ words: String, _ options: [String]) throws -> (String, hasPhrase: Bool) {
        let invocation = Invocation(
            arguments: try Arguments(options, options: AlgorandSecret.options),
            console: Console(isQuiet: true, isJSON: false), environment: Environment())
        var made = try AlgorandSecret.read(SecretBytes(copying: words.utf8.span), invocation)
        let isDerived = made.isDerived
        #expect(isDerived)
        let key = try AlgorandChain().publicKey(of: made.secret)
        let hasPhrase = made.phrase.take() != nil
        return (AlgorandChain().address(publicKey: key, given: nil), hasPhrase)
    }

    private func refusal(_ options: [String]) throws -> CLIError {
        do {
            let invocation = Invocation(
                arguments: try Arguments(options, options: AlgorandSecret.options),
                console: Console(isQuiet: true, isJSON: false), environment: Environment())
            _ = try AlgorandSecret.read(
                SecretBytes(copying: Self.abandon.utf8.span), invocation)
        } catch {
            return CLIError(error)
        }
        Issue.record("accepted \(options)")
        return CLIError("", hint: nil)
    }

    @Test("a Ledger's words give the address that its app's tests expect")
    func ledgers() throws {
        let (address, hasPhrase) = try made(
            Self.ledger, ["--scheme", "ledger", "--hd-path", "m/44'/283'/123'/0/0"])
        #expect(address == "BX63ZW4O5PWWFDH3J33QEB5YN7IN5XOKPDUQ5DCZ232EDY4DWN3XKUQRCA")
        // A key of this scheme has its own 25 words, so the wallet's words are not kept.
        #expect(!hasPhrase)
        let first = try made(Self.ledger, ["--scheme", "ledger"])
        let same = try made(
            Self.ledger, ["--scheme", "ledger", "--hd-path", "m/44'/283'/0'/0/0"])
        #expect(first.0 == same.0)
    }

    @Test("SLIP-10 gives the addresses of wallets of several coins")
    func slip10() throws {
        let expected = [
            "EP2D7TV7IAFANZHK3B6QLKB53N5UTD7RARVXZTWCPCRQQBKYVGM2XIMT2Q",
            "4TY6NBYEJMUOI5WPNUG7YRM63GQNVZA47336IICDLIARPF7GFUMSUJ2CUU",
        ]
        for (number, address) in expected.enumerated() {
            let path = "m/44'/283'/0'/0'/\(number)'"
            let (found, hasPhrase) = try made(
                Self.abandon, ["--scheme", "slip10", "--hd-path", path])
            #expect(found == address && !hasPhrase)
        }
        let first = try made(Self.abandon, ["--scheme", "slip10"])
        #expect(first.0 == expected[0])
    }

    @Test("three schemes make three accounts of the same words")
    func schemes() throws {
        let found = try ["arc52", "slip10", "ledger"].map {
            try made(Self.abandon, ["--scheme", $0]).0
        }
        #expect(Set(found).count == 3)
        let bare = try made(Self.abandon, ["--hd-path", "m/44'/283'/0'/0/0"])
        #expect(bare.0 == found[0] && bare.hasPhrase)
    }

    @Test("a path that no wallet of the scheme uses is refused, and its scheme is named")
    func paths() throws {
        for path in ["m/44'/283'/0'/0'/0'", "m/44'/283'/7'/0'/3'"] {
            let error = try refusal(["--hd-path", path])
            #expect(
                error.message == "--hd-path \"\(path)\" is not a path that wallets use "
                    + "with ARC-52")
            #expect(error.hint == "add --scheme slip10 (as Trust Wallet does)")
        }
        #expect(
            try refusal(["--scheme", "slip10", "--hd-path", "m/44'/283'/0'/0/1"]).hint
                == "add --scheme arc52 (wallets of ARC-52)")
        for (scheme, path) in [
            ("arc52", "m"), ("arc52", "m/44'/283'/0'"), ("arc52", "m/44'/397'/0'/0/0"),
            ("arc52", "m/44'/283'/0'/0/0/0"), ("arc52", "m/44'/283'/0/0/0"),
            ("slip10", "m/44'/60'/0'/0'/0'"), ("slip10", "m/44'/283'/0'"),
            ("ledger", "m/44'/283'/0'/0/1/1"),
        ] {
            let error = try refusal(["--scheme", scheme, "--hd-path", path])
            #expect(error.status == .usage && error.hint?.hasPrefix("write --hd-path") == true)
        }
        for options in [
            ["--scheme", "exodus"], ["--scheme", "slip10", "--hd-mode", "peikert"],
            ["--scheme", "ledger", "--mdk-index", "1"],
        ] {
            #expect(try refusal(options).status == .usage)
        }
    }
}
