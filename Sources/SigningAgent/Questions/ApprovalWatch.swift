// SPDX-License-Identifier: Apache-2.0

internal import SigningService
internal import SigningStorage

/// Looks for new questions and answers of other hubs in the record.
struct ApprovalWatch: Sendable {
    private let inbox: ApproverInbox
    private let queue: QuestionQueue
    private let watch: HomeWatch
    private static let pause = Duration.seconds(1)
    private static let longPause = Duration.seconds(15)
    private static let secondsMax: Int64 = 3_600

    init(
        _ inbox: ApproverInbox, following watch: HomeWatch, reportingTo queue: QuestionQueue
    ) {
        self.inbox = inbox
        self.watch = watch
        self.queue = queue
    }

    /// Looks after each change until the task is cancelled, and when a question expires.
    ///
    /// An unreadable record is reported elsewhere.
    func keep() async {
        while !Task.isCancelled {
            let seen = watch.revision
            let pause = await withTaskExecutorPreference(BlockingThreads.shared) { look() }
            await watch.wait(after: seen, until: pause.map { .now + $0 })
        }
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

    /// Looks once for changes; returns the time after which to look again without any.
    @discardableResult
    func look() -> Duration? {
        let now = queue.now()
        guard let items = try? inbox.waiting(at: now) else { return Self.longPause }
        queue.note(approvals: items)
        guard let first = items.first?.question.binding.expires else { return nil }
        return .seconds(max(1, min(first.seconds - now.seconds, Self.secondsMax)))
    }
}

extension JoinedTeam {
    /// Copies what is new; returns the problem if that fails.
    fileprivate func problem() -> String? {
        do { try catchUp() } catch { return ServiceError(error).message }
        return nil
    }
}
