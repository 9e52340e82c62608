// SPDX-License-Identifier: Apache-2.0

extension CBOR {
    /// How many bytes the item takes that the bytes begin with, whatever its maps are keyed by.
    ///
    /// Lengths must be definite, as those of CTAP2 are.
    public static func itemCount(
        at bytes: Span<UInt8>, limits: CodecLimits = CodecLimits()
    ) throws(CodecError) -> Int {
        var tokens = CBORTokens()
        var offset = 0
        // How many items are to come at each depth.
        var left: [UInt64] = [1]
        while let top = left.indices.last {
            let (token, count) = try tokens.next(in: bytes, from: offset)
            offset += count
            left[top] -= 1
            switch token {
            case .array(let count?): left.append(count)
            case .map(let count?):
                let (items, isOver) = count.multipliedReportingOverflow(by: 2)
                guard !isOver else { throw .truncated }
                left.append(items)
            case .tag: left.append(1)
            case .array(nil), .map(nil), .chunkedBytes, .chunkedText, .end:
                throw .malformed("a length that is not definite", at: offset)
            case .unsigned, .negative, .bytes, .text, .float, .bool, .null, .undefined: break
            }
            // The first count is of no container.
            guard left.count <= limits.depthMax + 1 else {
                throw .tooDeep(limit: limits.depthMax)
            }
            while left.last == 0 { left.removeLast() }
        }
        return offset
    }
}
