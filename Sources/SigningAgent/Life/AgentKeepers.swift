// SPDX-License-Identifier: Apache-2.0

package import SigningService

/// What goes on beside the requests of an agent, each until the agent ends.
package struct AgentKeepers: Sendable {
    /// Locks the vault with the login; nil where it stays unlocked as long as the agent runs.
    let login: LoginWatch?
    let notice: DesktopNotice
    let approver: Approver

    /// Puts them together; `approver` is the program that the sandbox was entered with, and
    /// `unanswered` counts clients that get no answer until the vault is unlocked.
    package init(
        of home: OpenHome, asking board: QuestionBoard, after times: LockTimes, approver: String?,
        _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        login = times.most == nil ? nil : LoginWatch()
        notice = DesktopNotice(of: board, unanswered)
        self.approver = Approver(of: home, asking: board, path: approver)
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
        }
    }
}
