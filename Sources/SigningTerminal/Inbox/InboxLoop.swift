// SPDX-License-Identifier: Apache-2.0

/// Where the inbox gets what it shows, and what answers go to.
package protocol InboxSource: Sendable {
    /// What is new since this was asked last; nil where nothing is.
    func takeNews() -> InboxNews?
    /// Asks for the details of a question; they come with the news.
    func fetchDetails(of id: String)
    /// The limits of the policy, with what was used of them.
    func limits() -> [InboxLimit]
    /// The clients that are connected.
    func connections() -> [InboxConnection]
    /// Ends a connection; what became of it comes with the news.
    func end(connection id: String)
    /// Sends answers; what became of them comes with the news.
    func send(_ decisions: [InboxDecision])
}

/// What a source has to tell.
package struct InboxNews: Sendable {
    /// All that waits now.
    package var questions: [InboxQuestion] = []
    /// All that is told of what ended, the newest first.
    package var ended: [InboxEnded] = []
    /// Answers that did not count, and why.
    package var refused: [(id: String, reason: String)] = []
    /// What became of a connection that was to be ended, and those that are left.
    package var connected: (text: String, left: [InboxConnection])?
    /// Whether nothing more will come.
    package var isOver = false

    /// Nothing.
    package init() {}
}

/// The inbox at the terminal, until the person has had enough.
package struct InboxLoop {
    /// How it ended.
    package enum End: Equatable, Sendable {
        /// The person left.
        case left
        /// The source has nothing more.
        case over
        /// Nobody pressed a key for a long time.
        case idle
        /// The terminal is gone.
        case hungUp
        /// A signal came.
        case signal(Int32)
        /// There is no terminal to show it on.
        case noTerminal
    }

    private let source: any InboxSource
    private var state = InboxState()
    private var size = (rows: 0, columns: 0)

    /// How long nobody may press a key.
    private static let idleMax = Duration.seconds(15 * 60)
    /// How long another question at this terminal is waited for.
    private static let turnWait = Duration.seconds(2)

    /// Shows what comes from `source`.
    package init(_ source: any InboxSource) { self.source = source }

    /// Runs it; blocks the thread.
    package mutating func run() -> End {
        InboxSignals.watch()
        defer { InboxSignals.unwatch() }
        guard var terminal = InboxTerminal(until: .now + Self.turnWait) else { return .noTerminal }
        var pressed = ContinuousClock.now
        while true {
            if let number = InboxSignals.end { return .signal(number) }
            if InboxSignals.takeSuspension() { terminal.suspend() }
            if takeNews(terminal) { return .over }
            draw(on: &terminal)
            guard case .keys(let keys) = terminal.read() else { return .hungUp }
            let now = ContinuousClock.now
            if !keys.isEmpty { pressed = now }
            if now - pressed >= Self.idleMax { return .idle }
            for action in state.press(keys, now: now) {
                switch action {
                case .quit: return .left
                case .suspend: terminal.suspend()
                case .fetchDetails(let id): source.fetchDetails(of: id)
                case .fetchLimits: state.take(source.limits())
                case .fetchConnections: state.take(connections: source.connections())
                case .endConnection(let id): source.end(connection: id)
                case .answer(let decisions): source.send(decisions)
                }
            }
        }
    }

    private mutating func takeNews(_ terminal: borrowing InboxTerminal) -> Bool {
        guard let news = source.takeNews() else { return false }
        let before = state.selected
        state.take(news.questions, news.ended, now: .now)
        for (id, reason) in news.refused { state.noteRefused(id, reason) }
        if let (text, left) = news.connected {
            state.take(connections: left)
            state.tell(text)
        }
        // What is in the keyboard's buffer was typed for what stood there.
        if state.selected != before { terminal.flush() }
        return news.isOver
    }

    private mutating func draw(on terminal: inout InboxTerminal) {
        let now = terminal.size
        if now != size {
            size = now
            state.noteResized()
            terminal.forget()
        }
        terminal.draw(state.screen(rows: size.rows, columns: size.columns, now: .now))
    }
}
