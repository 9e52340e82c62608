// SPDX-License-Identifier: Apache-2.0

/// Tells a page that this side is there, where nothing else does.
struct ChannelHeartbeat: Sendable {
    /// How long nothing is sent before it is, in seconds.
    static let seconds: Int64 = 30
    /// The text that wallets of Liquid Auth send, and apps too.
    private static let word = ChannelMessage(Array("ping".utf8))

    /// Waits until one may be due; throws where the task is cancelled.
    let wait: @Sendable () async throws(CancellationError) -> Void

    /// One that is sent each 30 seconds.
    static let usual = ChannelHeartbeat { () async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(seconds)) } catch { throw CancellationError() }
    }

    /// Whether a message is one: it is empty, or the word.
    static func isOne(_ message: ChannelMessage) -> Bool {
        message.bytes.isEmpty || message.bytes == word.bytes
    }

    /// Sends one where `isDue` says so, until the channel is closed or the task is cancelled.
    func beat(over channel: any DataChannel, where isDue: () -> Bool) async {
        do throws(CancellationError) {
            while true {
                try await wait()
                guard isDue() else { continue }
                do throws(ChannelError) {
                    try await channel.send(Self.word)
                } catch {
                    return
                }
            }
        } catch {
            return
        }
    }
}
