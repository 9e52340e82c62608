// SPDX-License-Identifier: Apache-2.0

/// The state of the inbox and its key bindings, independent of a terminal and a clock.
package struct InboxState: Sendable {
    /// The content of the screen.
    enum Page: Hashable {
        case question, details, history, limits, connections, help
    }

    /// A line that the person types, with its purpose.
    struct Line: Hashable {
        var text = ""
        let isGrant: Bool
        /// The id of the question that the line answers; no other question receives it.
        let id: String
    }

    /// A task for the program.
    package enum Action: Hashable, Sendable {
        /// Leave the inbox.
        case quit
        /// Suspend the job.
        case suspend
        /// Fetch the details of a question.
        case fetchDetails(String)
        /// Fetch the limits of the policy.
        case fetchLimits
        /// Fetch the connected clients.
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
    /// The index of the selected connection.
    private(set) var chosenConnection = 0
    /// The connection that ends if its key is pressed again.
    private var endingConnection: InboxConnection?
    /// True if the screen must scroll to the selected row.
    var followsChosen = false
    private(set) var selected: String?
    private(set) var marked: Set<String> = []
    private(set) var page = Page.question
    var scroll = 0
    /// The number of rows that the screen has for a question.
    var pageRows = 1
    /// True if the window is too small to show a question.
    var isTooSmall = false
    /// The cached rows of the current pane.
    var kept: KeptRows?
    private(set) var line: Line?
    private(set) var note = ""
    /// The number of rows of each text that were visible, counted from the first row.
    private var seenRows: [Seen: Int] = [:]
    /// The texts whose last row was visible.
    private var seen: Set<Seen> = []
    /// The time before which keys answer nothing, as they may be meant for the previous question.
    private var restUntil: ContinuousClock.Instant?
    /// The ids of questions whose answers were sent and that are still listed.
    private var sent: Set<String> = []

    /// A part of a question: its text, the coverage of a remembered answer below it, or its
    /// details.
    private enum Part {
        case words, offer, details
    }

    private struct Seen: Hashable {
        let id: String
        let part: Part
    }

    /// Cached rows with the inputs that produced them.
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

    /// The time during which a newly selected question accepts no answer.
    static let rest = Duration.milliseconds(800)
    /// The maximum length of a typed line, in characters.
    static let lineMax = 60

    /// Creates an empty inbox.
    package init() {}

    /// The selected question; nil if the person has to select one.
    var current: InboxQuestion? { selected.flatMap { id in items.first { $0.id == id } } }

    /// True if answers are not accepted yet.
    func isResting(at now: ContinuousClock.Instant) -> Bool { restUntil.map { now < $0 } ?? false }

    /// True if all text that a yes requires was visible.
    func isShown(_ question: InboxQuestion) -> Bool {
        seen.contains(Seen(id: question.id, part: question.needsDetails ? .details : .words))
    }

    /// True if the coverage of a remembered answer was visible.
    func isOfferShown(_ question: InboxQuestion) -> Bool {
        seen.contains(Seen(id: question.id, part: .offer))
    }
}

// MARK: News

extension InboxState {
    /// Updates the questions from the agent.
    ///
    /// A question that ended loses its marks, its typed line and its selection, so that a key meant
    /// for it cannot answer another question.
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
            note = "the question that you typed this for has ended"
        }
        if let selected, !ids.contains(selected) {
            let isAnswered = sent.contains(selected)
            self.selected = nil
            scroll = 0
            if page == .details { page = .question }
            if isAnswered {
                select(next(after: selected, in: before))
            } else {
                note = "this question has ended; choose another: Down"
            }
            restUntil = now + Self.rest
        }
        sent.formIntersection(ids)
        // A question to several people stays until enough of them answered; a change of it confirms
        // the answer.
        for item in items where item.isForApprovers && !before.contains(where: item.isSame(as:)) {
            sent.remove(item.id)
        }
        if selected == nil, before.isEmpty, let first = items.first {
            select(first.id)
            restUntil = now + Self.rest
        }
    }

    /// The questions grouped by client and kind, in the order of the first question of each group.
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

    /// Updates the connections; the selection stays on the same connection or moves to the first.
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

    /// Ends the selected connection if its key was pressed for it before.
    mutating func endConnection() -> [Action] {
        guard connections.indices.contains(chosenConnection) else {
            showNote("no client is connected")
            return []
        }
        let chosen = connections[chosenConnection]
        guard let id = chosen.id else {
            showNote("no client has used this connection yet: countersign bunker revoke")
            return []
        }
        guard endingConnection == chosen else {
            endingConnection = chosen
            showNote(
                "\(ActKeys.name(ActKeys.end)) again ends this connection and what its client may "
                    + "do there")
            return []
        }
        endingConnection = nil
        showNote("the connection is being ended")
        return [.endConnection(id)]
    }

    /// Resets the confirmation for ending a connection, after another key.
    mutating func forgetEnding() { endingConnection = nil }

    /// Updates the limits.
    mutating func take(_ limits: [InboxLimit]) { self.limits = limits }

    /// Shows a one-line note.
    package mutating func showNote(_ note: String) { self.note = note }

    /// Notes that rows were visible; `words` of the `total` rows belong to the question's text.
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

    /// Resets the visible rows after a resize, as lines wrap differently.
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
        guard let question = current else { return showNote("nothing is chosen") }
        if marked.remove(question.id) != nil { return }
        guard isShown(question) else {
            return showNote("read the question to its end before you mark it: Space or PgDn")
        }
        marked.insert(question.id)
    }

    mutating func turn(to page: Page) {
        self.page = self.page == page ? .question : page
        scroll = 0
    }

    /// Restarts the rest, so that a key held down never answers.
    mutating func restAnew(at now: ContinuousClock.Instant) { restUntil = now + Self.rest }

    mutating func type(_ line: Line?) { self.line = line }

    mutating func noteSent(_ decisions: [InboxDecision]) {
        sent.formUnion(decisions.map(\.id))
        marked = []
    }

    /// Restores a question whose answer was refused.
    package mutating func noteRefused(_ id: String, _ reason: String) {
        sent.remove(id)
        note = reason
    }

    /// True if an answer to the question was sent and is not yet confirmed.
    func isSent(_ id: String) -> Bool { sent.contains(id) }
}
