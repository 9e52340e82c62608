// SPDX-License-Identifier: Apache-2.0
import CTOML
import SigningCore

extension TOMLNode {
    /// The members of the document's root table.
    static func parse(_ bytes: Span<UInt8>) throws(TOMLError) -> [TOMLNode] {
        if let line = TOMLNesting.lineTooDeep(in: bytes) {
            throw TOMLError(
                code: .tooMuch,
                message: "a key has more than \(TOMLNesting.keyPartsMax) parts",
                position: SourcePosition(line: line, column: 1))
        }
        // The document keeps no pointer into the bytes.
        let parsed = unsafe bytes.withUnsafeBufferPointer {
            unsafe ctoml_parse($0.baseAddress, $0.count)
        }
        guard let document = unsafe parsed else {
            throw TOMLError(code: .tooMuch, message: "out of memory", position: .start)
        }
        defer { unsafe ctoml_free(document) }
        var failure = unsafe ctoml_failure()
        if unsafe ctoml_failed(document, &failure) {
            var message = unsafe VisibleText.escaped(String(copying: failure.message))
            if message.hasSuffix("representable in 64 bits") { message += ": write it in quotes" }
            throw TOMLError(
                code: .syntax, message: message,
                position: unsafe SourcePosition(failure.line, failure.column))
        }
        return unsafe members(of: document)
    }

    /// Builds the tree from the last node to the first: children follow their parents.
    private static func members(of document: OpaquePointer) -> [TOMLNode] {
        let count = unsafe ctoml_count(document)
        var children = [[TOMLNode]](repeating: [], count: count)
        for index in (1..<max(1, count)).reversed() {
            let raw = unsafe ctoml_at(document, index)
            let node = unsafe TOMLNode(raw, children: children[index])
            children[index] = []
            unsafe children[Int(raw.parent)].append(node)
        }
        return children.first.map(inFileOrder) ?? []
    }

    private init(_ raw: ctoml_node, children: [TOMLNode]) {
        unsafe key = String(copying: raw.key)
        unsafe keyPosition = SourcePosition(raw.key_line, raw.key_column)
        unsafe position = SourcePosition(raw.line, raw.column)
        value =
            switch unsafe UInt32(raw.kind) {
            case CTOML_TABLE.rawValue: .table(Self.inFileOrder(children))
            case CTOML_ARRAY.rawValue: .array(children.reversed())
            case CTOML_STRING.rawValue: unsafe .text(String(copying: raw.text))
            case CTOML_INTEGER.rawValue: unsafe .integer(raw.integer)
            case CTOML_BOOLEAN.rawValue: unsafe .bool(raw.integer != 0)
            case CTOML_TIME.rawValue: unsafe .time(Timestamp(seconds: raw.integer))
            case CTOML_FRACTIONAL_TIME.rawValue: .unusable("a time with a fraction of a second")
            case CTOML_LOCAL_TIME.rawValue: .unusable("a date or time without its offset")
            default: .unusable("a floating-point number")
            }
    }

    /// Restores the order of the file: toml++ sorts the members of a table by key.
    private static func inFileOrder(_ nodes: [TOMLNode]) -> [TOMLNode] {
        nodes.sorted { $0.keyPosition < $1.keyPosition }
    }
}

extension SourcePosition {
    /// A position from toml++, which reports 0 if it knows no position.
    fileprivate init(_ line: UInt32, _ column: UInt32) {
        self.init(line: max(1, Int(line)), column: max(1, Int(column)))
    }
}

extension String {
    fileprivate init(copying text: ctoml_text) {
        let bytes = unsafe UnsafeBufferPointer(start: text.bytes, count: text.count)
        self = unsafe String(decoding: bytes, as: UTF8.self)
    }
}
