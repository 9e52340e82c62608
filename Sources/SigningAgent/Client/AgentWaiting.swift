// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningService

extension AgentClient {
    /// How long the agent is asked to wait at a time, in seconds.
    private static let waitSeconds: Int64 = 100
    /// How often it is asked at most.
    private static let askedMax = 60
    private static let withdrawnSeconds: Int64 = 30

    /// What became of a request that was pending; a task that is cancelled withdraws it.
    func ended(_ id: String) async throws(ServiceError) -> AgentReply {
        for _ in 0..<Self.askedMax {
            do throws(ServiceError) {
                let reply = try await ask(
                    "GET", "/v1/requests/\(id)?wait_seconds=\(Self.waitSeconds)",
                    waitSeconds: Self.waitSeconds)
                if reply.json["state"]?.text != "pending" { return reply }
            } catch {
                guard Task.isCancelled else { throw error }
                // In a task of its own, which nobody has cancelled.
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
