// SPDX-License-Identifier: Apache-2.0

internal import Sandbox
package import SigningService

/// What reaches the desktop and logind for an agent: processes that are made before its sandbox.
package struct AgentHelpers: Sendable {
    /// Hears logind; nil where nobody is to, or it cannot be started.
    let login: HelperLine?
    /// Shows notifications.
    let notice: HelperLine?

    /// Starts them; call it while there is one thread.
    package init(for times: LockTimes) {
        login = times.most == nil ? nil : LoginHelper.start()
        notice = DesktopHelper.start()
    }
}

/// What goes on beside the requests of an agent, each until the agent ends.
package struct AgentKeepers: Sendable {
    /// Locks the vault with the login; nil where it stays unlocked as long as the agent runs.
    let login: LoginWatch?
    let notice: DesktopNotice
    let approver: Approver
    private let approvals: ApprovalWatch

    /// Puts them together; `approver` is the program that the sandbox was entered with, and
    /// `unanswered` counts clients that get no answer until the vault is unlocked.
    package init(
        of home: OpenHome, by signer: LocalSigner, asking board: QuestionQueue,
        after times: LockTimes,
        by aids: AgentHelpers, approver: ApproverSetting?,
        _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        login = times.most == nil ? nil : LoginWatch(over: aids.login)
        notice = DesktopNotice(of: board, over: aids.notice, unanswered)
        self.approver = Approver(of: home, asking: board, named: approver)
        approvals = ApprovalWatch(ApproverInbox(of: home, signer.ledger), telling: board)
    }

    /// Runs them until the task is cancelled; `lock` locks the vault for a reason.
    package func run(
        lock: @escaping @Sendable (_ reason: String) -> Void,
        tell: @escaping @Sendable (String) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            if let login { group.addTask { await login.keep(lock) } }
            group.addTask { await notice.keep() }
            group.addTask { await approver.keep(tell) }
            group.addTask { await approvals.keep() }
            group.addTask { await approvals.follow(tell) }
        }
    }
}
