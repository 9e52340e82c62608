// SPDX-License-Identifier: Apache-2.0

/// Builds one value from CBOR tokens and refuses unsupported input.
struct CBORBuilder {
    /// A container that is still open.
    private struct Frame {
        let isMap: Bool
        /// The number of elements or members to come; nil until `end`.
        var left: Int?
        var elements: [CBOR] = []
        var members: [CBORMember] = []
        var names = SeenNames()
        /// The name whose value comes next.
        var name: String?

        var value: CBOR { isMap ? .map(members) : .array(elements) }
        var wantsName: Bool { isMap && name == nil }
    }

    /// A string of indefinite length that is still open.
    private struct Chunks {
        let isText: Bool
        var bytes: [UInt8] = []
        var text = ""
    }

    /// RFC 8949 3.4.6: marks the input as CBOR, without further meaning.
    private static let selfDescribedTag: UInt64 = 55799

    private let limits: CodecLimits
    private var valuesLeft: Int
    private var stack: [Frame] = []
    private var chunks: Chunks?
    /// True if a skipped tag still waits for its value.
    private var isTagged = false

    init(limits: CodecLimits) {
        self.limits = limits
        valuesLeft = limits.valuesMax
    }

    /// Takes the token that ends at `end`; returns the whole value once it is complete.
    mutating func add(
        _ token: CBORToken, in bytes: Span<UInt8>, endingAt end: Int
    ) throws(CodecError) -> CBOR? {
        if chunks != nil { return try addChunk(token, in: bytes, endingAt: end) }
        switch token {
        case .tag(Self.selfDescribedTag):
            isTagged = true
            return nil
        case .tag: throw .malformed("unknown tag", at: end)
        case .end: return try close(at: end)
        case .chunkedBytes: chunks = Chunks(isText: false)
        case .chunkedText: chunks = Chunks(isText: true)
        case .array(let count):
            return try open(isMap: false, count: count, room: bytes.count - end, at: end)
        case .map(let count):
            return try open(isMap: true, count: count, room: (bytes.count - end) / 2, at: end)
        default: return try add(scalar(token, in: bytes, endingAt: end), at: end)
        }
        return nil
    }

    private func scalar(
        _ token: CBORToken, in bytes: Span<UInt8>, endingAt end: Int
    ) throws(CodecError) -> CBOR {
        switch token {
        case .unsigned(let value): return .unsigned(value)
        case .negative(let value):
            guard let value = Int64(exactly: value) else {
                throw .malformed("integer below 64 bits", at: end)
            }
            return .negative(-1 - value)
        case .bytes(let count):
            return .bytes([UInt8](copying: bytes.extracting((end - count)..<end)))
        case .text(let count):
            let start = end - count
            return .text(try UTF8Text.decode(bytes.extracting(start..<end), at: start))
        case .float(let value): return .float(value)
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .undefined: return .undefined
        case .chunkedBytes, .chunkedText, .array, .map, .tag, .end:
            preconditionFailure("add(_:in:endingAt:) left this token to scalar")
        }
    }

    /// Opens a container; `room` is the most items that the rest of the input can contain.
    private mutating func open(
        isMap: Bool, count: UInt64?, room: Int, at offset: Int
    ) throws(CodecError) -> CBOR? {
        guard stack.last?.wantsName != true else { throw nameError(at: offset) }
        if let count, count > UInt64(room) { throw .truncated }
        guard stack.count < limits.depthMax else { throw .tooDeep(limit: limits.depthMax) }
        isTagged = false
        stack.append(Frame(isMap: isMap, left: count.map { Int($0) }))
        return count == 0 ? try add(stack.removeLast().value, at: offset) : nil
    }

    /// Ends the innermost container of indefinite length.
    private mutating func close(at offset: Int) throws(CodecError) -> CBOR? {
        guard let frame = stack.last, frame.left == nil, frame.name == nil, !isTagged else {
            throw .malformed("break outside an indefinite length", at: offset - 1)
        }
        stack.removeLast()
        return try add(frame.value, at: offset)
    }

    /// Adds a complete value to the innermost container, and full containers to the next.
    private mutating func add(_ value: CBOR, at offset: Int) throws(CodecError) -> CBOR? {
        isTagged = false
        var value = value
        while let top = stack.indices.last {
            if stack[top].wantsName {
                guard case .text(let name) = value else { throw nameError(at: offset) }
                guard stack[top].names.insert(name) else { throw .duplicateKey(name) }
                stack[top].name = name
                return nil
            }
            try countValue()
            if let name = stack[top].name.take() {
                stack[top].members.append(CBORMember(name: name, value: value))
            } else {
                stack[top].elements.append(value)
            }
            guard let left = stack[top].left else { return nil }
            stack[top].left = left - 1
            guard left == 1 else { return nil }
            value = stack.removeLast().value
        }
        try countValue()
        return value
    }

    private mutating func countValue() throws(CodecError) {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .tooLong(limit: limits.valuesMax) }
    }

    private mutating func addChunk(
        _ token: CBORToken, in bytes: Span<UInt8>, endingAt end: Int
    ) throws(CodecError) -> CBOR? {
        guard var chunks = self.chunks.take() else { return nil }
        switch token {
        case .end:
            return try add(chunks.isText ? .text(chunks.text) : .bytes(chunks.bytes), at: end)
        case .bytes(let count) where !chunks.isText:
            chunks.bytes.appendBytes(of: bytes.extracting((end - count)..<end))
        case .text(let count) where chunks.isText:
            // RFC 8949 3.2.3: no character may be split over two chunks.
            let start = end - count
            chunks.text += try UTF8Text.decode(bytes.extracting(start..<end), at: start)
        default: throw .malformed("wrong chunk in a string", at: end)
        }
        self.chunks = chunks
        return nil
    }

    private func nameError(at offset: Int) -> CodecError {
        .malformed("map key is not text", at: offset)
    }
}
