// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService

/// A key press, as a terminal sends it.
package enum InboxKey: Hashable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end, enter, escape, backspace, interrupt, suspension

    /// Parses one read of the keyboard; drops pasted text, which must not answer a question.
    static func parse(_ bytes: [UInt8]) -> [InboxKey] {
        var keys: [InboxKey] = []
        var text = String(decoding: bytes, as: UTF8.self)[...]
        while let first = text.first {
            if text.hasPrefix(pasteBegin) {
                guard let end = text.firstRange(of: pasteEnd) else { return keys }
                text = text[end.upperBound...]
            } else if let (sequence, key) = sequences.first(where: { text.hasPrefix($0.0) }) {
                keys.append(key)
                text = text.dropFirst(sequence.count)
            } else if first == "\u{1B}" {
                let rest = text.dropFirst()
                guard rest.first == "[" || rest.first == "O" else {
                    // A character after Escape was pressed together with Alt.
                    if rest.isEmpty { keys.append(.escape) }
                    text = rest.dropFirst()
                    continue
                }
                // An escape sequence without a meaning here.
                let tail = rest.dropFirst().drop { !("@"..."~").contains($0) }
                text = tail.dropFirst()
            } else {
                keys.append(single(first))
                text = text.dropFirst()
            }
        }
        return keys
    }

    private static let pasteBegin = "\u{1B}[200~"
    private static let pasteEnd = "\u{1B}[201~"

    private static let sequences: [(String, InboxKey)] = [
        ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down),
        ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home),
        ("\u{1B}[1~", .home), ("\u{1B}OH", .home), ("\u{1B}[F", .end), ("\u{1B}[4~", .end),
        ("\u{1B}OF", .end),
    ]

    private static func single(_ character: Character) -> InboxKey {
        switch character {
        case "\r", "\n", "\r\n": .enter
        case "\u{03}": .interrupt
        case "\u{1A}": .suspension
        case "\u{7F}", "\u{08}": .backspace
        default: .character(character)
        }
    }
}

extension InboxState {
    /// Handles the keys of one read of the keyboard.
    ///
    /// A person presses one key at a time. Several keys at once were pasted or typed ahead, so they
    /// give no answer.
    package mutating func press(
        _ keys: [InboxKey], now: ContinuousClock.Instant
    ) -> [Action] {
        var actions: [Action] = []
        for key in keys { actions += press(key, isAlone: keys.count == 1, now: now) }
        return actions
    }

    private mutating func press(
        _ key: InboxKey, isAlone: Bool, now: ContinuousClock.Instant
    ) -> [Action] {
        switch key {
        case .interrupt: return [.quit]
        case .suspension: return [.suspend]
        default: break
        }
        if line != nil { return edit(key, isAlone: isAlone, now: now) }
        showNote("")
        if key != ActKeys.end.map(InboxKey.character) { forgetEnding() }
        switch key {
        case .up: step(by: -1)
        case .down: step(by: 1)
        case .pageUp, .home, .pageDown, .end: scrollPage(key)
        case .enter: return openDetails()
        case .escape: turn(to: page)
        case .character(let character): return press(character, isAlone: isAlone, now: now)
        default: break
        }
        return []
    }

    private mutating func press(
        _ character: Character, isAlone: Bool, now: ContinuousClock.Instant
    ) -> [Action] {
        switch character {
        case "q": return [.quit]
        case "k": step(by: -1)
        case "j": step(by: 1)
        case ActKeys.end where page == .connections:
            guard isAlone else {
                forgetEnding()
                showNote("several keys at once: nothing was ended")
                return []
            }
            return endConnection()
        case " ": scrollPage(.pageDown)
        case "b": scrollPage(.pageUp)
        case "i": return openDetails()
        case "x": toggleMark()
        case "l": turn(to: .history)
        case ActKeys.limits:
            turn(to: .limits)
            return page == .limits ? [.fetchLimits] : []
        case ActKeys.connections:
            turn(to: .connections)
            return page == .connections ? [.fetchConnections] : []
        case "?": turn(to: .help)
        case "t", "g":
            guard let question = current else {
                showNote("nothing is chosen")
                return []
            }
            type(Line(isGrant: character == "g", id: question.id))
        default:
            guard let given = InboxAnswer.keys.first(where: { $0.0 == character })?.1 else {
                showNote("unknown key: ? shows the keys")
                return []
            }
            guard isAlone else {
                showNote("several keys at once: nothing was answered")
                return []
            }
            return decide(InboxAnswer(given), now: now)
        }
        return []
    }

    private mutating func step(by count: Int) {
        if page == .connections { moveConnection(by: count) } else { move(by: count) }
    }

    private mutating func scrollPage(_ key: InboxKey) {
        followsChosen = false
        switch key {
        case .home: scroll = 0
        case .end: scroll = .max
        case .pageUp: scroll = max(0, scroll - max(1, pageRows - 1))
        default: scroll += max(1, pageRows - 1)
        }
    }

    private mutating func openDetails() -> [Action] {
        guard let question = current else {
            showNote("nothing is chosen")
            return []
        }
        turn(to: .details)
        return page == .details && question.details == nil ? [.fetchDetails(question.id)] : []
    }

    private mutating func edit(
        _ key: InboxKey, isAlone: Bool, now: ContinuousClock.Instant
    ) -> [Action] {
        guard var typed = line else { return [] }
        switch key {
        case .escape: type(nil)
        case .backspace:
            typed.text = String(typed.text.dropLast())
            type(typed)
        case .character(let character):
            let isVisible = character.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }
            if isVisible, typed.text.count < Self.lineMax { typed.text.append(character) }
            type(typed)
        case .enter:
            type(nil)
            guard isAlone else {
                showNote("several keys at once: nothing was answered")
                return []
            }
            let read: InboxAnswer?
            do throws(AnswerError) { read = try Self.answer(typed) } catch {
                showNote(error.detail)
                return []
            }
            guard selected == typed.id, let answer = read else {
                let sample = typed.isGrant ? "1,3 1d" : "y 1h, y 1d 20, n always, use 1"
                showNote("please type an answer such as \(sample)")
                return []
            }
            return decide(answer, now: now)
        default: break
        }
        return []
    }

    private static func answer(_ line: Line) throws(AnswerError) -> InboxAnswer? {
        guard line.isGrant else { return try InboxAnswer(line: line.text) }
        guard !line.text.isEmpty else { return nil }
        return InboxAnswer(.yes(nil), granting: line.text)
    }

    /// Sends an answer to all marked questions, or to the selected one if none is marked.
    private mutating func decide(_ answer: InboxAnswer, now: ContinuousClock.Instant) -> [Action] {
        guard !isTooSmall, page == .question || page == .details else {
            showNote("no question is open here: Esc goes back")
            return []
        }
        guard !isResting(at: now) else {
            restAnew(at: now)
            showNote("this question is new: read it, then answer")
            return []
        }
        let asked =
            marked.isEmpty
            ? [current].compactMap(\.self) : items.filter { marked.contains($0.id) }
        guard !asked.isEmpty else {
            showNote("nothing is chosen")
            return []
        }
        var decisions: [InboxDecision] = []
        for question in asked {
            if let obstacle = obstacle(answer, to: question) {
                showNote(asked.count > 1 ? "\(obstacle): nothing was answered" : obstacle)
                return []
            }
            let words = question.needsDetails && answer.isYes ? question.details : question.words
            guard let words else { return [] }
            decisions.append(
                InboxDecision(
                    id: question.id, seen: words.digest, answer: answer,
                    isForApprovers: question.isForApprovers))
        }
        noteSent(decisions)
        showNote(
            decisions.count == 1 ? "" : "\(decisions.count) questions answered: \(answer.word)")
        return [.answer(decisions)]
    }

    /// The reason that an answer cannot be given; nil if it can.
    private func obstacle(_ answer: InboxAnswer, to question: InboxQuestion) -> String? {
        if isSent(question.id) { return "the answer is being sent" }
        guard question.words != nil else { return "the question is still loading" }
        if let approvers = question.approvers, let obstacle = approvers.obstacle(to: answer) {
            return obstacle
        }
        if let span = answer.span {
            let offered = answer.isYes ? question.spansOfYes : question.spansOfNo
            if !offered.contains(span.rawValue) { return "\"\(answer.word)\" is not offered here" }
        }
        guard answer.isYes else { return nil }
        if isShown(question) {
            return answer.span == nil && answer.grant == nil || isOfferShown(question)
                ? nil : "first read below what will be remembered: Space"
        }
        return question.needsDetails
            ? "before a yes, read all the details: Enter, then Space to the end"
            : "before a yes, read all of the question: Space shows more"
    }
}

extension InboxQuestion.Approvers {
    /// The reason that no approver key of this home can give the answer; nil if one can.
    fileprivate func obstacle(to answer: InboxAnswer) -> String? {
        guard answer.span == nil, answer.grant == nil, !answer.isOfAccount else {
            return "approvers answer only yes or no: their answers are not remembered"
        }
        let names = answer.isYes ? mayApprove : mayDeny
        guard let name = names.first else {
            return mayDeny.isEmpty
                ? "no approver key of this home can answer"
                : "the home that sent a request cannot approve it"
        }
        return names.count == 1
            ? nil : "several approver keys: countersign approver answer --as \(name)"
    }
}
