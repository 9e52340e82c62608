// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// Numbers that were drawn for items that the home signs, such as nonces.
struct DrawEntry: Hashable, Sendable {
    var series: String
    /// The first number.
    var first: Int64
    var count: Int64

    /// The last number.
    var last: Int64 { first + count - 1 }
}

/// A question to several people.
struct AskEntry: Hashable, Sendable {
    /// SHA-256 of the question.
    var question: [UInt8]
    /// The last moment at which answers count.
    var expires: Timestamp
}

/// The answer of one of several people.
struct AnswerEntry: Hashable, Sendable {
    /// SHA-256 of the question.
    var question: [UInt8]
    var answer: JointAnswer
}

extension DrawEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        count = try reader.integer("count")
        first = try reader.integer("first")
        guard (1...Int64(SQLiteLedger.serialsMax)).contains(count),
            (1...SQLiteLedger.serialEnd).contains(first)
        else { throw reader.expected("numbers that can be drawn") }
        try reader.kind(.draw)
        series = try reader.text("series")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.integer("count", count)
        writer.integer("first", first)
        writer.kind()
        writer.text("series", series)
        writer.time()
    }
}

extension AskEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        expires = try reader.time("expires")
        try reader.kind(.ask)
        question = try reader.hex("question")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.integer("expires", expires.seconds)
        writer.kind()
        writer.hex("question", question)
        writer.time()
    }
}

extension AnswerEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        let key = try reader.hex("key")
        try reader.kind(.answer)
        question = try reader.hex("question")
        let signature = try reader.hex("signature")
        try reader.time()
        answer = JointAnswer(
            publicKey: key, isYes: try reader.flag("yes"), signature: signature)
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.hex("key", answer.publicKey)
        writer.kind()
        writer.hex("question", question)
        writer.hex("signature", answer.signature)
        writer.time()
        writer.flag("yes", answer.isYes)
    }
}
