// SPDX-License-Identifier: Apache-2.0

@testable import SigningCore

extension LedgerConformance {
    static let app = Client(id: "app", name: nil, proof: .claimed)

    static func connection(_ id: UInt8) -> ClientConnection {
        ClientConnection(
            id: [UInt8](repeating: id, count: 16), protocolID: ProtocolID("p"), client: app,
            network: "n", key: KeyID("k"), address: "alice", started: time)
    }

    static func grant(
        _ id: UInt8, _ answer: Grant.Answer, _ method: String,
        expires: Timestamp? = Timestamp(seconds: 5_000)
    ) -> Grant {
        Grant(
            id: [UInt8](repeating: id, count: 8), answer: answer,
            scope: Grant.Scope(
                client: app.id, proof: app.proof, key: KeyID("k"), protocolID: ProtocolID("p"),
                method: method, facts: []),
            dangers: [], created: time, expires: expires, login: nil,
            usesMax: 3)
    }

    private static func broadcast(_ id: String) -> Settlement {
        .done(
            resultDigests: [[1]],
            broadcast: Broadcast(
                network: "n", items: [Broadcast.Item(id: id, sender: "a", bytes: [1])]))
    }

    /// Checks of the notes that finished requests leave.
    static let memories = [
        Check(name: "answers") { subject in
            let yes = SealedGrant(grant(1, .yes, "yes"), seal: [1])
            let no = SealedGrant(grant(2, .no, "no"), seal: [2])
            try await done(.done(resultDigests: [], remembers: [yes, no]), in: subject.first)
            try subject.settle()
            let strange = grant(3, .yes, "yes")
            return check(
                (
                    "an answer is not found",
                    try subject.second.grants(for: [yes.grant.scope, yes.grant.scope]) == [yes]
                ),
                (
                    "an intent that stands on a yes is refused",
                    await refusal(
                        subject.second, intent(grants: [yes.grant], scopes: [yes.grant.scope]))
                        == nil
                ),
                (
                    "an intent stands on an answer that nobody gave",
                    await refusal(
                        subject.second, intent(grants: [strange], scopes: [strange.scope]))
                        == .grantChanged
                ),
                (
                    "a remembered no does not count",
                    await refusal(subject.second, intent(scopes: [no.grant.scope]))
                        == .grantChanged
                ))
        },
        Check(name: "connections") { subject in
            let opens: [ConnectionChange] = [.opens(connection(1))]
            try await done(.done(resultDigests: [], connections: opens), in: subject.first)
            try subject.settle()
            let open = try subject.second.connections(of: app, in: ProtocolID("p"))
            let standing = await refusal(
                subject.second, intent(connections: [connection(1).id]))
            let replaces: [ConnectionChange] = [.opens(connection(2))]
            try await done(.done(resultDigests: [], connections: replaces), in: subject.second)
            let ended = await refusal(subject.first, intent(connections: [connection(1).id]))
            let ends: [ConnectionChange] = [.ends(id: connection(2).id)]
            try await done(.done(resultDigests: [], connections: ends), in: subject.first)
            try subject.settle()
            return check(
                ("a connection is not there", open == [connection(1)]),
                ("one that stands is refused", standing == nil),
                ("one that was replaced stands", ended == .connectionEnded),
                (
                    "one that ended stands",
                    try subject.second.connections(of: app, in: ProtocolID("p")).isEmpty
                ))
        },
        Check(name: "forgotten client") { subject in
            let yes = SealedGrant(grant(1, .yes, "yes"), seal: [1])
            try await done(.done(resultDigests: [], remembers: [yes]), in: subject.first)
            let forgets: [ConnectionChange] = [.forgets(app, ProtocolID("p"))]
            try await done(.done(resultDigests: [], connections: forgets), in: subject.second)
            try subject.settle()
            return check(
                (
                    "what was remembered of a client is",
                    try subject.first.grants(for: [yes.grant.scope]).isEmpty
                ))
        },
        Check(name: "notes") { subject in
            let subjectOfNote = Note.Subject.key(KeyID("k"))
            for value in Int64(1)...2 {
                try await done(
                    .done(resultDigests: [], notes: [Note(subjectOfNote, "n", value)]),
                    in: subject.first)
            }
            let own = try subject.first.noted("n", about: subjectOfNote)?.value
            try subject.settle()
            return check(
                ("the last note does not count where it was made", own == 2),
                (
                    "the last note does not count elsewhere",
                    try subject.second.noted("n", about: subjectOfNote)?.value == 2
                ),
                (
                    "there is a note that nobody made",
                    try subject.second.noted("m", about: subjectOfNote) == nil
                ))
        },
        Check(name: "questions") { subject in
            let tally = QuestionTally(about: [1], maximum: 2, seconds: 60)
            let other = QuestionTally(about: [2], maximum: 1, seconds: 60)
            let isTogether = subject.countsQuestionsTogether
            let (handle, beside) = (subject.first, subject.second)
            let first = try await handle.count(tally, at: time)
            let second = try await (isTogether ? beside : handle).count(tally, at: time)
            let third = try await handle.count(tally, at: time)
            let apart = try await beside.count(other, at: time)
            let later = try await handle.count(tally, at: Timestamp(seconds: 1_060))
            var elsewhere = true
            if !isTogether { elsewhere = try await beside.count(tally, at: time) }
            return check(
                ("a question is refused", first && second && apart && elsewhere),
                ("too many questions are asked", !third),
                ("a question counts for ever", later))
        },
        Check(name: "outbox") { subject in
            try await done(broadcast("one"), in: subject.first)
            try subject.settle()
            let once = try subject.second.mayHaveSent("one")
            try await done(broadcast("one"), in: subject.second)
            try subject.settle()
            let twice = try subject.first.mayHaveSent("one")
            try await subject.first.record(.accepted([]), of: "one", at: time)
            try subject.settle()
            let after = try subject.second.mayHaveSent("one")
            try await done(broadcast("two"), in: subject.first)
            try await subject.second.record(.unknown("no answer"), of: "two", at: time)
            try subject.settle()
            return check(
                ("what was put on record once may have been sent", !once),
                ("what two are sending was not sent", twice),
                ("what arrived may not have", !after),
                ("what nobody knows of was not sent", try subject.first.mayHaveSent("two")))
        },
    ]
}
