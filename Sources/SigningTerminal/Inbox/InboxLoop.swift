// SPDX-License-Identifier: Apache-2.0

/// The source of the inbox's data and the destination of its answers.
package protocol InboxSource: Sendable {
    /// Returns the changes since the last call; nil if there are none.
    func takeNews() -> InboxNews?
    /// Requests the details of a question, which arrive with the news.
    func fetchDetails(of id: String)
    /// The limits of the policy with their use.
    func limits() -> [InboxLimit]
    /// The connected clients.
    func connections() -> [InboxConnection]
    /// Ends a connection; the result arrives with the news.
    func end(connection id: String)
    /// Sends answers; the results arrive with the news.
    func send(_ decisions: [InboxDecision])
}

/// The changes that a source reports.
package struct InboxNews: Sendable {
    /// All waiting questions.
    package var questions: [InboxQuestion] = []
    /// The ended questions that the agent reports, the newest first.
    package var ended: [InboxEnded] = []
    /// The answers that were refused, with reasons.
    package var refused: [(id: String, reason: String)] = []
    /// The result of ending a connection, and the remaining connections.
    package var connected: (text: String, left: [InboxConnection])?
    /// True if the source has ended.
    package var isOver = false

    /// Creates empty news.
    package init() {}
}

/// Runs the inbox at the terminal until the person leaves.
package struct InboxLoop {
    /// The reason that the inbox ended.
    package enum End: Equatable, Sendable {
        /// The person left.
        case left
        /// The source ended.
        case over
        /// The person pressed no key for `idleMax`.
        case idle
        /// The terminal was closed.
        case hungUp
        /// A signal arrived.
        case signal(Int32)
        /// There is no usable terminal.
        case noTerminal
    }

    private let source: any InboxSource
    private var state = InboxState()
    private var size = (rows: 0, columns: 0)

    /// The time without a key press after which the inbox ends.
    private static let idleMax = Duration.seconds(15 * 60)
    /// The time to wait for another process that asks at this terminal.
    private static let turnWait = Duration.seconds(2)

    /// Creates a loop that shows the data of `source`.
    package init(_ source: any InboxSource) { self.source = source }

    /// Runs the loop and blocks the thread.
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
            state.showNote(text)
        }
        // The input in the keyboard buffer was typed for the previous question.
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
