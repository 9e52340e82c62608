// SPDX-License-Identifier: Apache-2.0

internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The context of a box in a backup; the box opens only in the same context.
private struct BoxLabel {
    let beginning: [UInt8]
    var place: UInt64 = 0

    func label(isLast: Bool) -> RecordLabel {
        RecordLabel(backup: beginning, place: place, isLast: isLast)
    }
}

extension RecordLabel {
    /// The label of one box of a backup.
    init(backup beginning: [UInt8], place: UInt64, isLast: Bool) {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign backup box v1".utf8)
        bytes.append(lengthPrefixed: beginning)
        bytes.append(bigEndian: place)
        bytes.append(isLast ? 1 : 0)
        self.init(name: "backup", bytes: bytes)
    }
}

/// Seals a stream of bytes, box by box.
struct BoxWriter {
    private let key: VaultKey
    private var label: BoxLabel
    private let output: NewFileWriter
    private var waiting: [UInt8] = []

    init(key: VaultKey, beginning: [UInt8], output: NewFileWriter) {
        self.key = key
        label = BoxLabel(beginning: beginning)
        self.output = output
    }

    /// Adds a file under a name; does nothing if the file does not exist.
    mutating func put(_ path: String, as name: String) throws(BackupError) {
        guard let file = try FileReader(path) else { return }
        try put([UInt8(name.utf8.count)] + Array(name.utf8))
        var length: [UInt8] = []
        length.append(bigEndian: file.count)
        try put(length)
        while let bytes = try file.read(countMax: Backup.boxBytesMax) { try put(bytes) }
    }

    mutating func put(_ bytes: [UInt8]) throws(BackupError) {
        waiting += bytes
        while waiting.count > Backup.boxBytesMax {
            let box = Array(waiting.prefix(Backup.boxBytesMax))
            waiting.removeFirst(Backup.boxBytesMax)
            try write(box, isLast: false)
        }
    }

    /// Writes the last box, which is marked as the last so that a truncated file is noticed.
    mutating func finish() throws(BackupError) {
        try write(waiting, isLast: true)
        waiting = []
    }

    private mutating func write(_ bytes: [UInt8], isLast: Bool) throws(BackupError) {
        let sealed: [UInt8]
        do throws(VaultError) {
            sealed = try key.seal(
                SecretBytes(copying: bytes.span), label: label.label(isLast: isLast))
        } catch {
            throw .vault(error)
        }
        var length: [UInt8] = []
        length.append(bigEndian: UInt32(sealed.count))
        try BackupError.inHome { [output] () throws(HomeError) in
            try output.write(length + sealed)
        }
        label.place += 1
    }
}

/// Opens the boxes of a backup as one stream of bytes.
struct BoxReader {
    private let key: VaultKey
    private var label: BoxLabel
    private let input: FileReader
    private var opened: ArraySlice<UInt8> = []
    private var isAtEnd = false

    init(key: VaultKey, beginning: [UInt8], input: FileReader) {
        self.key = key
        label = BoxLabel(beginning: beginning)
        self.input = input
    }

    /// The name of the next file; nil after the last.
    mutating func nextName() throws(BackupError) -> String? {
        if opened.isEmpty, !isAtEnd { try openNext() }
        if opened.isEmpty, isAtEnd { return nil }
        let count = try take(1)
        return String(decoding: try take(Int(count[0])), as: UTF8.self)
    }

    mutating func nextLength() throws(BackupError) -> UInt64 {
        try take(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The next `count` bytes.
    mutating func take(_ count: Int) throws(BackupError) -> [UInt8] {
        while opened.count < count {
            guard !isAtEnd else { throw .damaged }
            try openNext()
        }
        defer { opened.removeFirst(count) }
        return Array(opened.prefix(count))
    }

    private mutating func openNext() throws(BackupError) {
        guard let length = try input.readExactly(4) else { throw .damaged }
        let count = length.reduce(0) { $0 << 8 | Int($1) }
        guard count <= Backup.boxBytesMax + AEAD.overheadCount,
            let box = try input.readExactly(count)
        else { throw .damaged }
        // The box that ends the file must have been sealed as the last one, and no other box.
        isAtEnd = try input.isAtEnd()
        let secret: SecretBytes
        do throws(VaultError) {
            secret = try key.open(box, label: label.label(isLast: isAtEnd))
        } catch {
            throw label.place == 0 ? .wrongPassphrase : .damaged
        }
        label.place += 1
        opened += secret.withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }
}
