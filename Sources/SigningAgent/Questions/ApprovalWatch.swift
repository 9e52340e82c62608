// SPDX-License-Identifier: Apache-2.0

internal import SigningService
internal import SigningStorage

/// Looks for new questions and answers of other hubs in the record.
struct ApprovalWatch: Sendable {
    private let inbox: ApproverInbox
    private let queue: QuestionQueue
    private static let pause = Duration.seconds(1)
    private static let longPause = Duration.seconds(15)

    init(_ inbox: ApproverInbox, reportingTo queue: QuestionQueue) {
        self.inbox = inbox
        self.queue = queue
    }

    /// Looks regularly until the task is cancelled; an unreadable record is reported elsewhere.
    func keep() async {
        repeat {
            await withTaskExecutorPreference(BlockingThreads.shared) { look() }
        } while (try? await Task.sleep(for: Self.pause)) != nil
    }

    /// Copies the questions of the teams that this home joined, regularly.
    ///
    /// An error that repeats is reported once per team, and does not delay the other teams.
    func follow(_ warn: @escaping @Sendable (String) -> Void) async {
        for (number, problem) in inbox.broken { warn("team \(number): \(problem.message)") }
        await withTaskGroup(of: Void.self) { group in
            for team in inbox.teams {
                group.addTask { await Self.follow(team, warn) }
            }
        }
    }

    private static func follow(
        _ team: JoinedTeam, _ warn: @escaping @Sendable (String) -> Void
    ) async {
        var reported: String?
        // An unreachable server blocks the thread during each attempt.
        let thread = BlockingThread("countersign.team")
        repeat {
            let problem = await withTaskExecutorPreference(thread) { team.problem() }
            if let problem, problem != reported { warn("team \(team.number): \(problem)") }
            reported = problem
        } while (try? await Task.sleep(for: reported == nil ? pause : longPause)) != nil
    }

    /// Looks once for changes.
    func look() {
        guard let items = try? inbox.waiting(at: queue.now()) else { return }
        queue.note(approvals: items)
    }
}

extension JoinedTeam {
    /// Copies what is new; returns the problem if that fails.
    fileprivate func problem() -> String? {
        do throws(ServiceError) { try catchUp() } catch { return error.message }
        return nil
    }
}
