// SPDX-License-Identifier: Apache-2.0

package import LiquidAuth
internal import SigningCore
internal import SigningService
internal import SigningStorage

extension LiquidService {
    /// The desk of an agent: its channels are kept by the program that its sandbox was entered
    /// with, and what happens is told as an event.
    package static func ofAgent(asking board: QuestionQueue) -> LiquidService {
        LiquidService(
            environment: SystemEnvironment(), on: BlockingThreads.shared,
            telling: { [events = board.events] in events.publish("liquid", $0.json) },
            by: { order, signer, channels, report throws(LiquidConnectionError) in
                let chosen = await order.choosingServer(
                    on: BlockingThreads.shared, randomBytes: SystemEnvironment().randomBytes,
                    report)
                return try await LiquidConnection(chosen, by: .ofSandbox)
                    .run(by: signer, over: channels, report)
            })
    }

    /// How many go on.
    package var liveCount: Int { reports.count { $0.state != .ended } }
}
