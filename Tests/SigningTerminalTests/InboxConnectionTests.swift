// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningTerminal

@Suite("Connections in the inbox")
struct InboxConnectionTests {
    private func look(_ state: inout InboxState) -> [String] {
        state.screen(rows: 24, columns: 80, now: .now).map(\.text)
    }

    private func press(_ key: InboxKey, _ state: inout InboxState) -> [InboxState.Action] {
        state.press([key], now: .now)
    }

    @Test("one ends by its key pressed twice for it, and by nothing else")
    func ends() {
        var state = InboxState()
        let rows = [
            InboxConnection(id: nil, "offered"), InboxConnection(id: "aa", "first"),
            InboxConnection(id: "bb", "second"),
        ]
        #expect(press(.character("c"), &state) == [.fetchConnections])
        state.take(connections: rows)
        #expect(press(.character("e"), &state).isEmpty, "no client has used this connection")
        #expect(look(&state).contains { $0.contains("bunker revoke") })
        _ = press(.down, &state)
        #expect(look(&state).contains("> first"))
        #expect(press(.character("e"), &state).isEmpty)
        #expect(look(&state).contains { $0.contains("e again") })
        _ = press(.down, &state)
        #expect(press(.character("e"), &state).isEmpty, "it was pressed for another")
        state.take(connections: Array(rows.dropLast()))
        #expect(press(.character("e"), &state).isEmpty, "the one that stood there is gone")
        _ = press(.down, &state)
        #expect(press(.character("e"), &state).isEmpty)
        #expect(press(.character("e"), &state) == [.endConnection("aa")])
        #expect(press(.character("e"), &state).isEmpty, "it has to be pressed twice again")
        _ = press(.character("x"), &state)
        #expect(press(.character("e"), &state).isEmpty)
        #expect(state.press([.character("e"), .character("e")], now: .now).isEmpty, "at once")
        _ = press(.escape, &state)
        #expect(press(.character("e"), &state).isEmpty, "nothing ends but there")
    }

    @Test("the chosen one is on the screen, however many there are")
    func follows() {
        var state = InboxState()
        _ = press(.character("c"), &state)
        state.take(connections: (0..<100).map { InboxConnection(id: "\($0)", "client \($0)") })
        for number in 1..<100 {
            _ = press(.down, &state)
            #expect(look(&state).contains("> client \(number)"))
        }
        _ = press(.character("b"), &state)
        #expect(!look(&state).contains("> client 99"))
    }
}
