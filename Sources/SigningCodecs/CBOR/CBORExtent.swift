// SPDX-License-Identifier: Apache-2.0

extension CBOR {
    /// Returns the length of the first item in the bytes; its maps may have keys of any type.
    ///
    /// Lengths must be definite, as in CTAP2.
    public static func itemCount(
        at bytes: Span<UInt8>, limits: CodecLimits = CodecLimits()
    ) throws(CodecError) -> Int {
        var tokens = CBORTokens()
        var offset = 0
        // The number of items to come at each depth.
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
            // The first count belongs to no container.
            guard left.count <= limits.depthMax + 1 else {
                throw .tooDeep(limit: limits.depthMax)
            }
            while left.last == 0 { left.removeLast() }
        }
        return offset
    }
}
