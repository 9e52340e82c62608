// SPDX-License-Identifier: Apache-2.0

internal import Sandbox
package import SigningService

/// The helper processes of an agent for logind, the desktop and the owner's program; they start
/// before its sandbox.
package struct AgentHelpers: Sendable {
    /// The process that listens to logind; nil if it is not wanted or cannot be started.
    let login: HelperLine?
    /// The process that shows notifications; nil if it cannot be started.
    let notice: HelperLine?
    /// The program that is run when something waits; nil if the owner named none.
    let hook: Hook?

    /// Starts the processes; call it while there is only one thread.
    package init(for times: LockTimes, hook path: String?) {
        login = times.most == nil ? nil : LoginHelper.start()
        notice = DesktopHelper.start()
        hook = path.map { Hook($0) }
    }
}

/// The background tasks of an agent; they run until the agent ends.
package struct AgentKeepers: Sendable {
    /// Locks the vault on logind's signals; nil if the vault stays unlocked while the agent runs.
    let login: LoginWatch?
    let notice: QuestionNotice
    /// Runs the owner's program; nil if the owner named none.
    let hook: QuestionNotice?
    let approver: Approver
    /// Publishes what is removed from the record, by any process.
    package let events: RecordEvents
    private let approvals: ApprovalWatch
    private let watch: HomeWatch

    /// Creates the tasks.
    ///
    /// `approver` is the program that the sandbox was set up with; `unanswered` counts clients that
    /// get no answer until the vault is unlocked.
    package init(
        of home: OpenHome, _ inbox: ApproverInbox, following watch: HomeWatch,
        asking queue: QuestionQueue, after times: LockTimes,
        by helpers: AgentHelpers, approver: ApproverSetting?,
        _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        login = times.most == nil ? nil : LoginWatch(over: helpers.login)
        notice = QuestionNotice(of: queue, over: helpers.notice, .desktop, unanswered)
        hook = helpers.hook.map {
            QuestionNotice(of: queue, over: $0.line, $0.manner, unanswered)
        }
        self.approver = Approver(of: home, asking: queue, following: watch, named: approver)
        events = RecordEvents(of: home, inbox.ledger, reportingTo: queue.events)
        self.watch = watch
        approvals = ApprovalWatch(inbox, following: watch, reportingTo: queue)
    }

    /// Runs the tasks until cancelled; `lock` locks the vault for a reason.
    package func run(
        lock: @escaping @Sendable (_ reason: String) -> Void,
        warn: @escaping @Sendable (String) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            if let login { group.addTask { await login.keep(lock) } }
            group.addTask { await notice.keep() }
            if let hook { group.addTask { await hook.keep() } }
            group.addTask { await approver.keep(warn) }
            group.addTask { await approvals.keep() }
            group.addTask { await events.keep(watch) }
            group.addTask { await approvals.follow(warn) }
        }
    }
}
