// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension MCPServer {
    /// Takes in the lines of an open file until its end, or until the task is cancelled.
    package func serve(_ input: Int32) async {
        await withTaskExecutorPreference(BlockingThread("countersign.mcp")) {
            readLines(of: input)
            await end(within: .seconds(1))
        }
    }

    private func readLines(of input: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var line: [UInt8] = []
        var isTooLong = false
        while !Task.isCancelled {
            var event = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            // A signal that ends the program does not end a read.
            guard unsafe poll(&event, 1, 250) > 0 else { continue }
            let count = unsafe read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { break }
            for part in buffer[..<count].split(
                separator: 0x0A, omittingEmptySubsequences: false
            ).enumerated() {
                if part.offset > 0 {
                    take(&line, isTooLong)
                    isTooLong = false
                }
                isTooLong = isTooLong || line.count + part.element.count > Self.lineBytesMax
                if isTooLong { line = [] } else { line += part.element }
            }
        }
        take(&line, isTooLong)
    }

    private func take(_ line: inout [UInt8], _ isTooLong: Bool) {
        defer { line = [] }
        if isTooLong { return refuseLine() }
        if line.last == 0x0D { line.removeLast() }
        if !line.isEmpty { receive(line) }
    }
}
