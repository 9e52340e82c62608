// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningService

extension AgentClient {
    /// The time that one request asks the agent to wait, in seconds.
    private static let waitSeconds: Int64 = 100
    /// The most polls for one result.
    private static let pollsMax = 60
    private static let withdrawnSeconds: Int64 = 30

    /// Waits for the result of a pending request; cancelling the task withdraws the request.
    func result(of id: String) async throws(ServiceError) -> AgentReply {
        for _ in 0..<Self.pollsMax {
            do throws(ServiceError) {
                let reply = try await ask(
                    "GET", "/v1/requests/\(id)?wait_seconds=\(Self.waitSeconds)",
                    waitSeconds: Self.waitSeconds)
                if reply.json["state"]?.text != "pending" { return reply }
            } catch {
                guard Task.isCancelled else { throw error }
                // A new task, as this one is cancelled.
                return try await Task { () -> Result<AgentReply, ServiceError> in
                    do throws(ServiceError) {
                        return .success(
                            try await ask(
                                "DELETE", "/v1/requests/\(id)",
                                waitSeconds: Self.withdrawnSeconds))
                    } catch {
                        return .failure(error)
                    }
                }.value.get()
            }
        }
        throw ServiceError(
            "the agent has not answered", hint: "see \"countersign audit list\" for what was done")
    }
}
