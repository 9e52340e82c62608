// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningService

extension BrowserHost {
    /// Receives the messages of an open file until its end, or until the task is cancelled.
    package func serve(_ input: Int32) async throws(ServiceError) {
        let result = await withTaskExecutorPreference(BlockingThread("countersign.browser")) {
            let result = Result { () throws(NativeMessages.FramingError) in
                try readMessages(of: input)
            }
            await end()
            return result
        }
        do throws(NativeMessages.FramingError) { try result.get() } catch {
            throw ServiceError(
                "the browser sent an invalid message",
                hint: "only browsers start this command: do not run it yourself")
        }
    }

    private func readMessages(of input: Int32) throws(NativeMessages.FramingError) {
        var messages = NativeMessages()
        var failure: NativeMessages.FramingError?
        InputParts.read(input) { part in
            do throws(NativeMessages.FramingError) {
                for message in try messages.take(part) { receive(message) }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        if !Task.isCancelled { try messages.end() }
    }
}
