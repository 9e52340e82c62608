// SPDX-License-Identifier: Apache-2.0

internal import SigningService
internal import SigningStorage

/// Looks for questions to several people that others put into the record, or answered there.
struct ApprovalWatch: Sendable {
    private let inbox: ApproverInbox
    private let board: QuestionQueue
    private static let pause = Duration.seconds(1)
    private static let longPause = Duration.seconds(15)

    init(_ inbox: ApproverInbox, telling board: QuestionQueue) {
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

    /// Takes in what the teams ask that this home joined, again and again; what is wrong with one
    /// is told once, and keeps none of the others waiting.
    func follow(_ tell: @escaping @Sendable (String) -> Void) async {
        for (number, problem) in inbox.broken { tell("team \(number): \(problem.message)") }
        await withTaskGroup(of: Void.self) { group in
            for team in inbox.teams {
                group.addTask { await Self.follow(team, tell) }
            }
        }
    }

    private static func follow(
        _ team: JoinedTeam, _ tell: @escaping @Sendable (String) -> Void
    ) async {
        var told: String?
        // One whose server is away holds a thread for as long as it tries.
        let thread = BlockingThread("countersign.team")
        repeat {
            let problem = await withTaskExecutorPreference(thread) { team.problem() }
            if let problem, problem != told { tell("team \(team.number): \(problem)") }
            told = problem
        } while (try? await Task.sleep(for: told == nil ? pause : longPause)) != nil
    }

    /// Looks once.
    func look() {
        guard let items = try? inbox.waiting(at: board.now()) else { return }
        board.note(approvals: items)
    }
}

extension JoinedTeam {
    /// Takes in what is new; why not.
    fileprivate func problem() -> String? {
        do throws(ServiceError) { try catchUp() } catch { return error.message }
        return nil
    }
}
