// SPDX-License-Identifier: Apache-2.0

package import LiquidAuth
internal import SigningCore
internal import SigningFiles
internal import SigningService
internal import SigningStorage

extension LiquidService {
    /// The Liquid Auth service of an agent.
    ///
    /// The program that the sandbox was set up with keeps its channels; its reports are published
    /// as events.
    package static func ofAgent(asking queue: QuestionQueue) -> LiquidService {
        LiquidService(
            environment: SystemEnvironment(), on: BlockingThreads.shared,
            reporting: { [events = queue.events] in events.publish("liquid", $0.json) },
            by: { order, signer, channels, report throws(LiquidConnectionError) in
                let chosen = await order.choosingServer(
                    on: BlockingThreads.shared, randomBytes: SystemEnvironment().randomBytes,
                    report)
                return try await LiquidConnection(chosen, by: .ofSandbox)
                    .run(by: signer, over: channels, report)
            })
    }

    /// The number of connections that have not ended.
    package var liveCount: Int { reports.count { $0.state != .ended } }
}
