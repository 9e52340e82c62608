// SPDX-License-Identifier: Apache-2.0

import TestHome
import Testing

@testable import SigningStorage

extension AuditTests {
    @Test(
        "Tables that do not match the log are named, with the row and its entry",
        arguments: [
            (
                "UPDATE uses SET amount = '0'",
                #"table uses: a use of limit "b" is not as entry 1 says"#
            ),
            (
                "UPDATE uses SET time = 5",
                #"table uses: a use of limit "b" should not be there after entry 1"#
            ),
            (
                "DELETE FROM uses",
                #"table uses: a use of limit "b" is missing, which entry 1 is about"#
            ),
            (
                "UPDATE uses SET total = zeroblob(24)",
                #"table uses: a use of limit "b" is not as entry 1 says"#
            ),
            (
                """
                INSERT INTO uses SELECT 'c', 1000, 1, 9, intent_id, '1', zeroblob(24)
                FROM uses WHERE sequence = 1 AND counter = 'b'
                """,
                #"table uses: a use of limit "c" should not be there after entry 1"#
            ),
            (
                "UPDATE open_intents SET time = 5",
                "table open_intents: request ID is not as entry 10 says"
            ),
            (
                "DELETE FROM open_intents",
                "table open_intents: request ID is missing, which entry 10 is about"
            ),
            (
                "INSERT INTO open_intents SELECT intent_id, 1, 1000 FROM uses WHERE counter = 'b'"
                    + " AND sequence = 1",
                "table open_intents: request ID should not be there after entry 2"
            ),
            (
                "UPDATE meta SET value = '5' WHERE name = 'floor'",
                "table meta: the earliest time of entries is not as entry 10 says"
            ),
            (
                "DELETE FROM replay_tokens",
                "table replay_tokens: the replay token of request ID is missing, "
                    + "which entry 10 is about"
            ),
            (
                "INSERT INTO replay_tokens SELECT intent_id, x'00' FROM uses WHERE counter = 'b'"
                    + " AND sequence = 1",
                "table replay_tokens: the replay token of request ID should not be there "
                    + "after entry 2"
            ),
            (
                "INSERT INTO meta VALUES ('frozen', 'by me')",
                "table meta: the freeze should not be there after entry 9"
            ),
            (
                "INSERT INTO meta VALUES ('x', 'y')",
                #"table meta: value "x" is in no entry of the log"#
            ),
            (
                "INSERT INTO accepted VALUES (x'05', 1)",
                "table accepted: the accepted message 05 is in no entry of the log"
            ),
        ])
    func tables(edit: String, text: String) throws {
        try temporary.editLedger(edit)
        let problem = try #require(try problem())
        #expect(problem.isInTables)
        #expect(problem.text.replacing(/request [0-9a-f]{32}/, with: "request ID") == text)
    }

    @Test("An entry outside of the chain is named")
    func unchained() throws {
        try temporary.editLedger("INSERT INTO audit VALUES (-1, 0, 'refusal', '', x'', x'')")
        #expect(try problem() == .unchained)
        #expect(!AuditProblem.unchained.isInTables)
    }
}
