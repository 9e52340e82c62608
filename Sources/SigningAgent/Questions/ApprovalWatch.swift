// SPDX-License-Identifier: Apache-2.0

internal import SigningService
internal import SigningStorage

/// Looks for questions to several people that others put into the record, or answered there.
struct ApprovalWatch: Sendable {
    private let inbox: ApproverInbox
    private let board: QuestionBoard
    private static let pause = Duration.seconds(1)

    init(_ inbox: ApproverInbox, telling board: QuestionBoard) {
        self.inbox = inbox
        self.board = board
    }

    /// Looks again and again until the task is cancelled; a record that cannot be read is told
    /// elsewhere.
    func keep() async {
        repeat {
            await withTaskExecutorPreference(BlockingThreads.shared) { look() }
        } while (try? await Task.sleep(for: Self.pause)) != nil
    }

    /// Looks once.
    func look() {
        guard let items = try? inbox.waiting(at: board.now()) else { return }
        board.note(approvals: items)
    }
}
