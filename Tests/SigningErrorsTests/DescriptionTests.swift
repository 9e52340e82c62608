// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningErrors
import SigningPolicy
import SigningService
import SigningWires
import Testing

@Suite("The texts of errors for Foundation")
struct DescriptionTests {
    static let cases: [(any Error, String)] = [
        (ServiceError("unknown key \"a\"", hint: "see the list"), "unknown key \"a\""),
        (OutboxError.ledger(.frozen), "all signing and exporting is frozen"),
        (ChoosingError.unknownScheme("mailto"), "no wire reads URLs that begin with mailto:"),
        (PolicyFileError.missing, "the policy file does not exist"),
        (AccountError("no such account", hint: ""), "no such account"),
        (CodecError.checksum, "wrong checksum"),
        (LedgerError.replayed, "this request was made before"),
        (LedgerError.unavailable("disk full"), "the record: disk full"),
        (KeyStoreError.damaged(name: "a"), "the sealed record \"a\" was damaged or changed"),
        (
            KeyStoreError.domain(.notRegistered(.init("x/y"))),
            "no wire of this program signs x/y"
        ),
        (ApprovalError.timedOut, "the question was not answered in time"),
        (JointAnswerError.late, "the answer does not count: the question has expired"),
        (AdapterError(code: "1", reason: "too long", reply: .silence("")), "too long"),
        (TransportError("the port is taken", hint: ""), "the port is taken"),
        (Connections.Refusal.draining, "the transport is stopping"),
        (StatementError("no signature"), "no signature"),
        (FactFormError("takes a name"), "the field takes a name"),
        (
            CryptoError.wrongLength(expected: 32, actual: 3),
            "32 bytes are needed, and there are 3"
        ),
        (MnemonicError.unknownWord(position: 3), "word 3 is not in the word list"),
        (SecretText.ParseError.malformed(expected: "nsec"), "this is not a secret key"),
        (NIP49.ParseError.malformed, "this is not an ncryptsec"),
    ]

    @Test("localizedDescription names the problem, also for `any Error`", arguments: cases.indices)
    func words(place: Int) {
        let (error, words) = Self.cases[place]
        #expect(error.localizedDescription == words)
    }

    @Test("a policy with errors is described by the first one with its line")
    func policy() throws {
        let error = #expect(throws: PolicyLoadError.self) {
            try TOMLPolicy.load(
                "version = 1\ndefault = \"ask\"\nx = 1\ny = 1\n".utf8.span, fileName: "p",
                schemas: [],
                at: Timestamp(seconds: 0), sha256: { Digest.sha256($0) })
        }
        let words = try #require(error).localizedDescription
        #expect(words.hasPrefix("line 3: ") && words.hasSuffix(" (and 1 more)"), "\(words)")
    }

    @Test("the remedy is the recovery suggestion")
    func remedy() {
        let error: any Error = ServiceError("unknown key", hint: "see the list")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "see the list")
    }
}
