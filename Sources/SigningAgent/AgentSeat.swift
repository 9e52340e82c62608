// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningService
internal import SigningStorage

/// The one place that an agent of a home can have, held by a lock as long as this lives.
package final class AgentSeat: Sendable {
    private let lock: Int32

    /// Takes it.
    package init(of home: OpenHome) throws(ServiceError) {
        let path = "\(home.home.path)/agent.lock"
        lock = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw ServiceError("\(path) cannot be opened", hint: "see \"countersign doctor\"")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ServiceError(
                "another agent serves this home", hint: "use that one, or stop it first")
        }
    }

    deinit { close(lock) }
}
