// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService

// Every text here is safe to print: text from outside is escaped.

extension HeldQuestion {
    /// The most characters of a text in lists; the question itself shows the whole text.
    private static let listedMax = 200

    /// The subject of the question, in one line.
    var headline: String {
        VisibleText.escaped(question.summary.title, countMax: Self.listedMax)
    }

    /// The name of the client, in one line.
    var clientName: String {
        guard let client = question.client else { return "a client without a name" }
        return VisibleText.escaped(client.id, countMax: Self.listedMax)
    }

    /// The owner's name for the client; nil unless the key of a connection proved it.
    var called: String? { question.peer?.provedKey.map { VisibleText.escaped($0.name) } }

    /// The browser profile that reported the page; nil for other clients.
    var profile: String? { question.client?.proof.profile.map { VisibleText.escaped($0) } }

    /// The kind of proof for the client's name; claims have a separate word.
    var knownBy: String { question.client?.proof.word ?? "none" }

    /// The item in the list of open questions.
    func listed(at now: Timestamp) -> JSON {
        .object(JSONObject(members(at: now).map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }

    /// The whole question: the text, the scope of a remembered answer, the client's wishes.
    func whole(at now: Timestamp) -> JSON {
        let more: [(String, JSON)] = [
            ("text", .string(text)), ("digest", .string(digest)),
            ("offer", .string(words.offer)),
        ]
        var rest: [(String, JSON)] = words.wishes.map { [("wishes", .string($0))] } ?? []
        if let others = words.otherAccounts {
            let accounts = question.otherAccounts.map { account -> JSON in
                [
                    "name": .string(VisibleText.escaped(account.name)),
                    "address": .string(VisibleText.escaped(account.address)),
                ]
            }
            rest += [("others", .string(others)), ("other_accounts", .array(accounts))]
        }
        return .object(
            JSONObject((members(at: now) + more + rest).map { .init(name: $0.0, value: $0.1) }))
    }

    /// The complete details, with the digest that an answer to them must name.
    var details: JSON {
        let details = words.details
        return [
            "id": .string(id), "text": .string(details),
            "digest": .string(Self.digest(of: details)),
        ]
    }

    private func members(at now: Timestamp) -> [(String, JSON)] {
        let left = max(0, question.binding.expires.seconds - now.seconds)
        return [
            ("id", .string(id)), ("asked", .string(asked.utcText)),
            ("expires", .string(question.binding.expires.utcText)),
            ("seconds_left", .integer(left)),
            ("without_answer", .string(question.isAllowedUnanswered ? "allow" : "deny")),
            ("act", .string(question.act.rawValue)), ("headline", .string(headline)),
            ("gist", QuestionGist(question).json),
            ("keys", .array(keyNames.map { .string($0) })), ("client", client),
            (
                "because",
                .array(
                    question.reasons.map {
                        .string(VisibleText.escaped($0.text, countMax: Self.listedMax))
                    })
            ), ("rules", .array(question.reasons.compactMap(\.rule).map { .string($0) })),
            (
                "remember",
                ["yes": Self.list(words.spansOfYes), "no": Self.list(words.spansOfNo)]
            ), ("needs_details", .bool(words.isCut)),
        ]
    }

    private var keyNames: [String] {
        question.accounts.map { VisibleText.escaped($0.name) }.reduce(into: []) { once, name in
            if !once.contains(name) { once.append(name) }
        }
    }

    private static func list(_ spans: [Remembering.Span]) -> JSON {
        .array(spans.map { .string($0.rawValue) })
    }

    /// The client's proofs, descriptions and claims, separately.
    private var client: JSON {
        let peer = question.peer
        func text(_ value: String?) -> JSON {
            value.map { .string(VisibleText.escaped($0, countMax: Self.listedMax)) } ?? .null
        }
        let client = question.client
        let page = peer?.credential?.page
        return [
            "name": .string(clientName), "known_by": .string(knownBy),
            "called": called.map { .string($0) } ?? .null,
            "profile": profile.map { .string($0) } ?? .null,
            "proved": [
                "user_id": peer?.provedUserID.map { .integer(Int64($0)) } ?? .null,
                "answer_goes_to": client?.proof == .callback ? text(client?.id) : .null,
                "key": text(peer?.provedKey?.publicKey),
                "token": text(peer?.credential?.tokenName),
            ],
            "page": page.map {
                [
                    "origin": .string($0.origin), "top_origin": .string($0.topOrigin),
                    "document": text($0.document),
                ]
            } ?? peer?.visit?.json ?? .null,
            "described": [
                "program": text(peer?.executable),
                "sha256": text(peer?.process?.executableHash.map { Hex.encode($0.span) }),
                "unit": text(peer?.unit),
                "started_by": .array((peer?.process?.parents ?? []).map { text($0) }),
            ],
            "claimed": client?.proof == .claimed ? text(client?.id) : text(peer?.claim),
            "channel": text(peer?.channel.name),
        ]
    }
}

extension PageVisit {
    /// The page as a browser that is not paired reports it; nil if it reports none.
    fileprivate var json: JSON? {
        guard case .message(let origin, _, let isFramed) = self else { return nil }
        return [
            "origin": .string(origin), "top_origin": isFramed ? .null : .string(origin),
            "document": .null,
        ]
    }
}

extension EndedQuestion {
    /// The item in the list of questions that ended.
    var listed: JSON {
        [
            "id": .string(id), "asked": .string(asked.utcText), "ended": .string(ended.utcText),
            "headline": .string(headline), "client": .string(client),
            "known_by": .string(knownBy), "called": called.map { .string($0) } ?? .null,
            "profile": profile.map { .string($0) } ?? .null, "ending": .string(ending.word),
        ]
    }
}
