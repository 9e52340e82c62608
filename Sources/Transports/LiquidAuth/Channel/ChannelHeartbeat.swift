// SPDX-License-Identifier: Apache-2.0

/// Sends heartbeats to a page while there is no other message.
struct ChannelHeartbeat: Sendable {
    /// The time without a message before a heartbeat, in seconds.
    static let seconds: Int64 = 30
    /// The text that wallets and apps of Liquid Auth send.
    private static let word = ChannelMessage(Array("ping".utf8))

    /// Waits until a heartbeat may be due; throws if the task is cancelled.
    let wait: @Sendable () async throws(CancellationError) -> Void

    /// A heartbeat every 30 seconds.
    static let usual = ChannelHeartbeat { () async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(seconds)) } catch { throw CancellationError() }
    }

    /// Returns true if a message is a heartbeat: empty, or the text above.
    static func isOne(_ message: ChannelMessage) -> Bool {
        message.bytes.isEmpty || message.bytes == word.bytes
    }

    /// Sends heartbeats while `isDue` is true, until the channel closes or the task is cancelled.
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
