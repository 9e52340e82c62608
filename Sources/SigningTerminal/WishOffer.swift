// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The second question, for a client that requests permissions beyond the current request.
extension TerminalApproval {
    /// Asks which wishes the person grants; nil for none.
    static func wishes(
        of question: ApprovalQuestion, at terminal: borrowing Terminal,
        until deadline: ContinuousClock.Instant
    ) throws(ApprovalError) -> GrantedWishes? {
        guard question.wishes.contains(where: { $0.state == .open }) else { return nil }
        terminal.show(offer(of: question) + "\n")
        while true {
            switch terminal.ask("grant which? (Enter for none): ", until: deadline) {
            case .hungUp: throw .unavailable
            case .timedOut: throw .timedOut
            case .line(let line):
                if line.allSatisfy({ $0 == " " }) { return nil }
                if let choice = choice(line, in: question) { return choice }
                terminal.show(
                    "please answer for example \"1,3 1d\", \"all 1h\", \"1 1h 500\", or nothing\n")
            }
        }
    }

    /// Parses numbers or `all`, then a span, then optionally the number of uses of each wish; nil
    /// if invalid.
    static func choice(_ line: String, in question: ApprovalQuestion) -> GrantedWishes? {
        var words = line.split { $0 == " " || $0 == "," }.map(String.init)
        var usesMax: Int64?
        if words.count > 2, let uses = words.last.flatMap({ Int64($0) }) {
            guard uses > 0 else { return nil }
            usesMax = uses
            words.removeLast()
        }
        guard words.count > 1, let span = words.last.flatMap({ Remembering.Span(rawValue: $0) }),
            question.hasLogin || span != .session
        else { return nil }
        let open = Set(question.wishes.indices.filter { question.wishes[$0].state == .open })
        if words.count == 2, words[0] == "all" {
            return GrantedWishes(open, for: Remembering(span, usesMax: usesMax))
        }
        let places = words.dropLast().map { Int($0).map { $0 - 1 } }
        guard places.allSatisfy({ $0.map(open.contains) ?? false }) else { return nil }
        return GrantedWishes(
            Set(places.compactMap(\.self)), for: Remembering(span, usesMax: usesMax))
    }

    /// True if the answer to the question itself can also grant wishes.
    static func offersMore(_ question: ApprovalQuestion) -> Bool {
        question.act == .decrypt && question.wishes.contains { $0.state == .open }
    }

    /// Parses an answer that grants wishes, such as `g 1 1h 500`; nil if it is invalid.
    static func more(_ line: String, in question: ApprovalQuestion) -> ApprovalAnswer? {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard offersMore(question), words.count == 2, ["g", "grant"].contains(words[0]),
            let choice = choice(words[1], in: question)
        else { return nil }
        return .approved(question.binding, granting: choice)
    }

    /// The wishes with the syntax to grant them at the terminal.
    static func offer(of question: ApprovalQuestion) -> String {
        let spans = Remembering.Span.allCases.filter { question.hasLogin || $0 != .session }
            .map(\.rawValue).joined(separator: ", ")
        // If wishes are granted in the answer itself, `g` distinguishes them from a yes.
        let word = offersMore(question) ? "g " : ""
        return list(of: question)
            + "\nanswer with numbers or \"all\", and for how long: \(spans); such as "
            + "\"\(word)1 1d\""
            + "\n\"\(word)1 1h 500\" is for 500 uses at most, of each number"
    }

    /// The wishes; those without a number cannot be granted now.
    static func list(of question: ApprovalQuestion) -> String {
        var rows = [
            question.act == .decrypt
                ? "more requests to decrypt wait for this answer: a no denies all of them;\n"
                    + "you may allow this without a question each time:"
                : "the client asks to do this without a question each time:"
        ]
        for (place, offer) in question.wishes.enumerated() {
            let dangers = offer.wish.dangers.map(\.name).joined(separator: ", ")
            let title = offer.wish.title + (dangers.isEmpty ? "" : " (\(dangers))")
            switch offer.state {
            case .open: rows.append("  \(place + 1)  \(title)")
            case .granted: rows.append("  -  \(title): already granted")
            case .closed: rows.append("  -  \(title): asked about, or denied, each time")
            }
        }
        return rows.joined(separator: "\n")
    }
}
