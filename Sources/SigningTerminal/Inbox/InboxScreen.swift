// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService

/// A row of the screen with its style.
struct InboxRow: Hashable, Sendable {
    enum Style: Hashable {
        case plain, bold, chosen, warning, danger
    }

    let text: String
    var style = Style.plain

    init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }
}

extension InboxState {
    /// The minimum size of a window that shows questions.
    static let sizeMin = (rows: 12, columns: 40)

    /// Draws the whole screen and notes the visible rows of a question as shown.
    mutating func screen(rows: Int, columns: Int, now: ContinuousClock.Instant) -> [InboxRow] {
        isTooSmall = rows < Self.sizeMin.rows || columns < Self.sizeMin.columns
        guard !isTooSmall else {
            return [InboxRow("the window is too small")]
        }
        let isListed = page == .question || page == .details
        let (list, shownCount) =
            isListed ? listRows(max: max(3, (rows - 5) / 3), columns: columns, now: now) : ([], 0)
        let title =
            "countersign inbox   \(items.count) \(items.count == 1 ? "waits" : "wait")"
            + (marked.isEmpty ? "" : ", \(marked.count) marked")
            + (isListed && shownCount < items.count
                ? "   \(shownCount) of \(items.count) shown, j and k for the others" : "")
        let (pane, words) = keptRows(columns: columns)
        pageRows = rows - list.count - 4
        if followsChosen, let chosen = pane.firstIndex(where: { $0.style == .chosen }),
            !(scroll..<scroll + pageRows).contains(chosen)
        {
            scroll = max(0, chosen - pageRows / 2)
        }
        scroll = min(scroll, max(0, pane.count - pageRows))
        let end = min(pane.count, scroll + pageRows)
        // Rows count as shown before any key answers them.
        if let words { noteShown(rows: scroll..<end, ofWords: words, of: pane.count) }
        let more = end < pane.count ? "Space for more" : "the end"
        let rule =
            pane.count > pageRows
            ? "---- \(scroll + 1) to \(end) of \(pane.count) rows: \(more) ----" : "----"
        var screen = [InboxRow(title, .bold)] + list + [InboxRow(rule)] + pane[scroll..<end]
        while screen.count < rows - 2 { screen.append(InboxRow("")) }
        screen.append(InboxRow(note, .warning))
        screen.append(InboxRow(footer, .bold))
        return screen.map { InboxRow(Self.cut($0.text, to: columns), $0.style) }
    }

    private var footer: String {
        guard let line else {
            if page == .connections {
                let (end, back) = (ActKeys.name(ActKeys.end), ActKeys.name(ActKeys.connections))
                return "Up, Down choose  \(end) \(end) ends it  \(back) back  ? keys  q quit"
            }
            return "o once  5 5m  h 1h  d 1d  a always  n no  v never  x mark  ? keys  q quit"
        }
        return (line.isGrant ? "grant which? (1,3 1d): " : "answer (y 1h 20 ALGO): ") + line.text
            + "_"
    }

    /// The waiting questions by client and kind, scrolled to the selected one.
    private func listRows(
        max count: Int, columns: Int, now: ContinuousClock.Instant
    ) -> (rows: [InboxRow], questions: Int) {
        guard !items.isEmpty else { return ([InboxRow("nothing waits for you")], 0) }
        var rows: [InboxRow] = []
        // The first row of each question.
        var heads: [Int] = []
        var chosen = 0
        for (place, item) in items.enumerated() {
            if place == 0 || items[place - 1].group != item.group {
                let size = items.count { $0.group == item.group }
                rows.append(InboxRow("\(item.group) (\(size))", .bold))
            }
            if item.id == selected { chosen = rows.count }
            heads.append(rows.count)
            rows += self.rows(of: item, columns: columns, now: now)
            if item.isAllowedUnanswered {
                rows.append(InboxRow(Self.indent + InboxQuestion.allowedText, .danger))
            }
            if let dangerText = item.gist?.dangerText {
                rows.append(InboxRow(Self.indent + QuestionGist.short(dangerText), .danger))
            }
        }
        let start = min(max(0, chosen - count / 2), max(0, rows.count - count))
        let end = min(rows.count, start + count)
        return (Array(rows[start..<end]), heads.count { (start..<end).contains($0) })
    }

    /// The rows of one question: its outflow and operation, continued below if they do not fit.
    private func rows(
        of item: InboxQuestion, columns: Int, now: ContinuousClock.Instant
    ) -> [InboxRow] {
        let left = max(0, (item.expires - now).components.seconds)
        let shown = min(left, SigningHub.approvalSecondsDefault)
        let share = Int(shown * Self.barSize / SigningHub.approvalSecondsDefault)
        let bar =
            String(repeating: "#", count: share)
            + String(repeating: ".", count: Int(Self.barSize) - share)
        let isChosen = item.id == selected
        let mark = isSent(item.id) ? "!" : marked.contains(item.id) ? "x" : " "
        let time = left < 100 ? (left < 10 ? "  \(left)" : " \(left)") : "\(left)"
        let keys = item.keys.isEmpty ? "" : "  (\(item.keys.joined(separator: ", ")))"
        let head = "\(isChosen ? ">" : " ")\(mark) \(time) s \(bar) "
        let actionText = item.gist?.actionRows(columns: columns - head.count - keys.count) ?? []
        // The title is in the pane below; for several people, it also shows the progress.
        var texts =
            actionText.isEmpty || item.isForApprovers ? [item.headline] + actionText : actionText
        texts[0] = head + texts[0] + keys
        return texts.enumerated().map { place, text in
            InboxRow(
                place == 0 ? text : Self.indent + text, isChosen ? .chosen : .plain)
        }
    }

    private static let indent = "       "
    private static let barSize: Int64 = 5

    /// The rows of the pane, cached until its content changes, as a text may have many rows.
    private mutating func keptRows(columns: Int) -> (rows: [InboxRow], words: Int?) {
        let key = KeptRows.Key(
            page: page, columns: columns,
            text: page == .details ? current?.details : current?.words,
            ended: page == .history ? ended : [], limits: page == .limits ? limits : [],
            connections: page == .connections ? connections : [],
            chosen: page == .connections ? chosenConnection : 0)
        if let kept, kept.key == key { return (kept.rows, kept.words) }
        let (rows, words) = paneRows(columns: columns)
        kept = KeptRows(key: key, rows: rows, words: words)
        return (rows, words)
    }

    /// The rows below the list, and the number of rows that belong to a question's text; nil for
    /// other pages.
    private func paneRows(columns: Int) -> (rows: [InboxRow], words: Int?) {
        switch page {
        case .help: return (Self.help.map { InboxRow($0) }, nil)
        case .history:
            let rows = ended.map { InboxRow($0.row) }
            return (rows.isEmpty ? [InboxRow("no request has ended yet")] : rows, nil)
        case .limits:
            let rows = limits.flatMap { Self.rows(of: $0.row, columns: columns) }
            return (
                rows.isEmpty
                    ? [InboxRow("the policy in force has no limits")]
                    : rows.map { InboxRow($0.text) }, nil
            )
        case .connections:
            let rows = connections.enumerated().flatMap { place, connection -> [InboxRow] in
                let isChosen = place == chosenConnection
                let row = (isChosen ? "> " : "  ") + connection.row
                return Self.rows(of: row, columns: columns).map {
                    InboxRow($0.text, isChosen ? .chosen : .plain)
                }
            }
            return (rows.isEmpty ? [InboxRow("no client is connected")] : rows, nil)
        case .question, .details: break
        }
        guard let question = current else { return ([], nil) }
        guard let words = page == .details ? question.details : question.words else {
            return ([InboxRow("loading the question")], nil)
        }
        let rows = Self.rows(of: words.text, columns: columns)
        guard page == .question else { return (rows, rows.count) }
        let below = words.below.flatMap { [InboxRow("")] + Self.rows(of: $0, columns: columns) }
        return (rows + below, rows.count)
    }

    /// Wraps a text into rows without cutting it.
    ///
    /// Continuation rows are marked, so that they cannot look like rows of the program.
    static func rows(of text: String, columns: Int) -> [InboxRow] {
        var rows: [InboxRow] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let style = rows.isEmpty ? InboxRow.Style.bold : style(of: line)
            var row = ""
            var left = columns
            for character in line {
                let width = width(of: character)
                if width > left {
                    rows.append(InboxRow(row, style))
                    row = continuationMark
                    left = columns - continuationMark.utf8.count
                }
                row.append(character)
                left -= width
            }
            rows.append(InboxRow(row, style))
        }
        return rows
    }

    /// A character beyond Latin, Greek and Cyrillic may take two columns.
    private static func width(of character: Character) -> Int {
        character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : 1
    }

    private static let continuationMark = "    \\ "

    private static func style(of line: Substring) -> InboxRow.Style {
        if line.hasPrefix("  in all ") { return .bold }
        if line.hasPrefix("  warning: ") { return .warning }
        return line.hasPrefix("  dangers ") ? .danger : .plain
    }

    /// A row cut to a number of columns; dots mark the cut.
    static func cut(_ text: String, to columns: Int) -> String {
        let end = ".."
        var width = 0
        var cut = ""
        // The part that fits beside the dots.
        var marked = ""
        for character in text {
            width += Self.width(of: character)
            guard width <= columns else { return marked + end }
            cut.append(character)
            if width <= columns - end.utf8.count { marked = cut }
        }
        return cut
    }

    private static let help = [
        "keys",
        "  Up k, Down j    choose a question      Space, b  scroll down, up",
        "  o  yes, once                           n  no",
        "  5 h d s a  yes for 5 minutes, an hour, a day, the session, always",
        "  v  never: a no that is remembered",
        "  t  type the answer, as at the agent's terminal: y week 20 an hour",
        "  g  yes, and grant wishes of the client: 1,3 1d",
        "  Enter i  the details, every byte",
        "  several people: o yes or n no, with the approver key of this home",
        "  x  mark a question that you read to the end; answers go to all marked ones",
        "  l  ended requests  \(ActKeys.name(ActKeys.limits))  limits  "
            + "\(ActKeys.name(ActKeys.connections))  connected clients; "
            + "there \(ActKeys.name(ActKeys.end)) twice ends one",
        "  ?  this help    Esc  back    q  quit",
        "",
        "Before a yes you have to see all of the question, also the details if they",
        "show more, and the lines below it if the yes is to be remembered. When the",
        "question on the screen disappears, choose another.",
    ]
}
