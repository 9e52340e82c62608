// SPDX-License-Identifier: Apache-2.0

/// RFC 1952 gzip with exactly one member.
public enum Gzip {
    /// The largest output per input byte, by default.
    public static let ratioMax = 200

    /// Compresses bytes; the same bytes always give the same result.
    public static func compress(_ bytes: Span<UInt8>) throws(CodecError) -> [UInt8] {
        guard bytes.count <= inputMax else { throw .tooLong(limit: inputMax) }
        let stream = GzipStream(.compress)
        var output = [UInt8](repeating: 0, count: stream.countMax(for: bytes.count))
        let step = stream.run(from: bytes, to: &output, at: 0)
        precondition(step.status == .ended, "zlib needs more bytes than its own bound")
        output.removeLast(output.count - step.written)
        return output
    }

    /// Decompresses a complete input, including checksum and length.
    ///
    /// It never uses more than `outputMax` bytes, nor more than `ratioMax` times the input.
    public static func decompress(
        _ bytes: Span<UInt8>, outputMax: Int, ratioMax: Int = Self.ratioMax
    ) throws(CodecError) -> [UInt8] {
        precondition(outputMax > 0 && ratioMax > 0, "a limit is not positive")
        guard bytes.count <= inputMax else { throw .tooLong(limit: inputMax) }
        guard bytes.count > 0 else { throw .truncated }
        let (byRatio, overflow) = bytes.count.multipliedReportingOverflow(by: ratioMax)
        let limit = overflow ? outputMax : min(outputMax, byRatio)
        let stream = GzipStream(.decompress)
        var output = [UInt8](repeating: 0, count: min(limit, bytes.count * firstGrowth))
        var read = 0
        var written = 0
        while true {
            let rest = bytes.extracting(read..<bytes.count)
            let step = stream.run(from: rest, to: &output, at: written)
            read += step.read
            written += step.written
            switch step.status {
            case .ended:
                guard read == bytes.count else { throw .trailing(at: read) }
                output.removeLast(output.count - written)
                return output
            case .damaged: throw .malformed("damaged gzip data", at: read)
            case .unfinished: break
            }
            if written < output.count { throw .truncated }
            // Although no room is left, one more call may still read the checksum.
            if step.read > 0 || step.written > 0 { continue }
            guard output.count < limit else { throw .tooLong(limit: limit) }
            let more = min(output.count, limit - output.count)
            output.append(contentsOf: repeatElement(0, count: more))
        }
    }

    /// The length fields of zlib have 32 bits.
    private static let inputMax = Int(Int32.max)
    /// The size of the first output buffer as a multiple of the input.
    private static let firstGrowth = 4
}
