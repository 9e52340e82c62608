// SPDX-License-Identifier: Apache-2.0

/// What the inbox holds and what keys do to it; no terminal and no clock of its own.
package struct InboxState: Sendable {
    /// What is on the screen.
    enum Page: Hashable {
        case question, details, history, limits, connections, help
    }

    /// A line that is being typed, and what it is for.
    struct Line: Hashable {
        var text = ""
        let isGrant: Bool
        /// The question that it is typed for: another one never gets it.
        let id: String
    }

    /// What the program has to do.
    package enum Action: Hashable, Sendable {
        /// Leave.
        case quit
        /// Give the terminal to the shell.
        case suspend
        /// Ask for the details of a question.
        case fetchDetails(String)
        /// Look up the limits of the policy.
        case fetchLimits
        /// Look up which clients are connected.
        case fetchConnections
        /// End a connection.
        case endConnection(String)
        /// Send answers.
        case answer([InboxDecision])
    }

    private(set) var items: [InboxQuestion] = []
    private(set) var ended: [InboxEnded] = []
    private(set) var limits: [InboxLimit] = []
    private(set) var connections: [InboxConnection] = []
    /// Which of them keys are for.
    private(set) var chosenConnection = 0
    /// The one that ends when its key is pressed once more.
    private var endingConnection: InboxConnection?
    /// Whether the screen has to show what was chosen.
    var followsChosen = false
    private(set) var selected: String?
    private(set) var marked: Set<String> = []
    private(set) var page = Page.question
    var scroll = 0
    /// How many rows of a question the screen has.
    var pageRows = 1
    /// Whether the window shows nothing that could be decided on.
    var isTooSmall = false
    /// What was made of the text that stands there.
    var kept: KeptRows?
    private(set) var line: Line?
    private(set) var note = ""
    /// How many rows of what were on the screen, from the first on.
    private var seenRows: [Seen: Int] = [:]
    /// What has been on the screen to its last row.
    private var seen: Set<Seen> = []
    /// Keys answer nothing before this: they may be meant for what stood there before.
    private var restUntil: ContinuousClock.Instant?
    /// Answers on their way, whose questions still stand there.
    private var sent: Set<String> = []

    /// What may have been on the screen: the words of a question, what a remembered answer covers
    /// below them, and its details.
    private enum Part {
        case words, offer, details
    }

    private struct Seen: Hashable {
        let id: String
        let part: Part
    }

    /// Rows of a text, and what they are good for.
    struct KeptRows: Sendable {
        struct Key: Hashable {
            let page: Page
            let columns: Int
            let text: InboxQuestion.Words?
            let ended: [InboxEnded]
            let limits: [InboxLimit]
            let connections: [InboxConnection]
            let chosen: Int
        }

        let key: Key
        let rows: [InboxRow]
        let words: Int?
    }

    /// How long a question rests that came under the fingers.
    static let rest = Duration.milliseconds(800)
    /// The longest line that is typed, in characters.
    static let lineMax = 60

    /// An empty one.
    package init() {}

    /// The question that keys are for; nil where the person has to choose one.
    var current: InboxQuestion? { selected.flatMap { id in items.first { $0.id == id } } }

    /// Whether answers rest.
    func isResting(at now: ContinuousClock.Instant) -> Bool { restUntil.map { now < $0 } ?? false }

    /// Whether all that a yes to a question needs was on the screen.
    func isShown(_ question: InboxQuestion) -> Bool {
        seen.contains(Seen(id: question.id, part: question.needsDetails ? .details : .words))
    }

    /// Whether what a remembered answer covers was on the screen.
    func isOfferShown(_ question: InboxQuestion) -> Bool {
        seen.contains(Seen(id: question.id, part: .offer))
    }
}

// MARK: News

extension InboxState {
    /// Takes what the agent says now.
    ///
    /// A question that went takes its marks, its line and its place with it: no other question
    /// comes under a key that was meant for it.
    package mutating func take(
        _ questions: [InboxQuestion], _ ended: [InboxEnded], now: ContinuousClock.Instant
    ) {
        let before = items
        items = Self.grouped(questions)
        self.ended = ended
        let ids = Set(items.map(\.id))
        marked.formIntersection(ids)
        seen = seen.filter { ids.contains($0.id) }
        seenRows = seenRows.filter { ids.contains($0.key.id) }
        if let typed = line, !ids.contains(typed.id) {
            line = nil
            note = "the question that this was typed for is gone"
        }
        if let selected, !ids.contains(selected) {
            let isAnswered = sent.contains(selected)
            self.selected = nil
            scroll = 0
            if page == .details { page = .question }
            if isAnswered {
                select(next(after: selected, in: before))
            } else {
                note = "the question that stood here is gone; choose another: Down"
            }
            restUntil = now + Self.rest
        }
        sent.formIntersection(ids)
        // One for several people stays until enough have answered: that it moved is the answer.
        for item in items where item.isForApprovers && !before.contains(where: item.stands(as:)) {
            sent.remove(item.id)
        }
        if selected == nil, before.isEmpty, let first = items.first {
            select(first.id)
            restUntil = now + Self.rest
        }
    }

    /// Those of one client and kind together, by who asked first.
    private static func grouped(_ questions: [InboxQuestion]) -> [InboxQuestion] {
        var groups: [String] = []
        for question in questions where !groups.contains(question.group) {
            groups.append(question.group)
        }
        return groups.flatMap { group in questions.filter { $0.group == group } }
    }

    private func next(after id: String, in before: [InboxQuestion]) -> String? {
        guard let place = before.firstIndex(where: { $0.id == id }) else { return nil }
        let later = before[place...].first { old in items.contains { $0.id == old.id } }
        return later?.id ?? items.last?.id
    }

    /// Takes which clients are connected; no other one comes under the keys.
    mutating func take(connections: [InboxConnection]) {
        let chosen =
            self.connections.indices.contains(chosenConnection)
            ? self.connections[chosenConnection] : nil
        self.connections = connections
        endingConnection = endingConnection.flatMap { connections.contains($0) ? $0 : nil }
        chosenConnection = chosen.flatMap { connections.firstIndex(of: $0) } ?? 0
    }

    mutating func moveConnection(by count: Int) {
        endingConnection = nil
        chosenConnection = min(max(chosenConnection + count, 0), max(0, connections.count - 1))
        followsChosen = true
    }

    /// Ends the chosen connection, where its key was pressed for it before.
    mutating func endConnection() -> [Action] {
        guard connections.indices.contains(chosenConnection) else {
            tell("no client is connected")
            return []
        }
        let chosen = connections[chosenConnection]
        guard let id = chosen.id else {
            tell("nobody is connected there yet: countersign bunker revoke")
            return []
        }
        guard endingConnection == chosen else {
            endingConnection = chosen
            tell("e once more ends this connection, and what its client may do there")
            return []
        }
        endingConnection = nil
        tell("the connection is being ended")
        return [.endConnection(id)]
    }

    /// Whatever else is pressed, nothing is ended by the next key.
    mutating func forgetEnding() { endingConnection = nil }

    /// Takes what was used of the limits of the policy.
    mutating func take(_ limits: [InboxLimit]) { self.limits = limits }

    /// Tells something in one line.
    package mutating func tell(_ note: String) { self.note = note }

    /// Notes what rows were on the screen, of so many with the words and of so many in all.
    mutating func noteShown(rows: Range<Int>, ofWords words: Int, of total: Int) {
        guard let selected, page == .question || page == .details else { return }
        let part = page == .details ? Part.details : .words
        let key = Seen(id: selected, part: part)
        let known = seenRows[key] ?? 0
        guard rows.lowerBound <= known else { return }
        let now = max(known, rows.upperBound)
        seenRows[key] = now
        if now >= words { seen.insert(key) }
        if now >= total, part == .words { seen.insert(Seen(id: selected, part: .offer)) }
    }

    /// Notes that rows break elsewhere now.
    package mutating func noteResized() {
        seenRows = [:]
        scroll = 0
    }

    mutating func select(_ id: String?) {
        selected = id
        scroll = 0
        if page == .details { page = .question }
    }

    mutating func move(by count: Int) {
        guard !items.isEmpty else { return }
        let place = items.firstIndex { $0.id == selected }
        let new = place.map { $0 + count } ?? 0
        select(items[min(max(new, 0), items.count - 1)].id)
    }

    mutating func toggleMark() {
        guard let question = current else { return tell("nothing is chosen") }
        if marked.remove(question.id) != nil { return }
        guard isShown(question) else {
            return tell("only what was shown to its end can be marked: Space or PgDn shows more")
        }
        marked.insert(question.id)
    }

    mutating func turn(to page: Page) {
        self.page = self.page == page ? .question : page
        scroll = 0
    }

    /// Lets fingers come to rest: a key that is held down answers nothing, however long it is.
    mutating func restAnew(at now: ContinuousClock.Instant) { restUntil = now + Self.rest }

    mutating func type(_ line: Line?) { self.line = line }

    mutating func noteSent(_ decisions: [InboxDecision]) {
        sent.formUnion(decisions.map(\.id))
        marked = []
    }

    /// A question whose answer did not count stands there as before.
    package mutating func noteRefused(_ id: String, _ reason: String) {
        sent.remove(id)
        note = reason
    }

    /// Whether an answer to it is on its way.
    func isSent(_ id: String) -> Bool { sent.contains(id) }
}
