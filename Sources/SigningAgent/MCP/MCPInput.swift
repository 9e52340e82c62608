// SPDX-License-Identifier: Apache-2.0

extension MCPServer {
    /// Receives the lines of an open file until its end, or until the task is cancelled.
    package func serve(_ input: Int32) async {
        await withTaskExecutorPreference(BlockingThread("countersign.mcp")) {
            readLines(of: input)
            await end(within: .seconds(1))
        }
    }

    private func readLines(of input: Int32) {
        var line: [UInt8] = []
        var isTooLong = false
        InputParts.read(input) { bytes in
            for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            {
                if part.offset > 0 {
                    take(&line, isTooLong)
                    isTooLong = false
                }
                isTooLong = isTooLong || line.count + part.element.count > Self.lineBytesMax
                if isTooLong { line = [] } else { line += part.element }
            }
            return true
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
