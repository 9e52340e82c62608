// SPDX-License-Identifier: Apache-2.0

/// An IPv6 address, read by RFC 4291 and written by RFC 5952.
struct IPv6Address: Hashable {
    private static let pieceCount = 8
    private let pieces: [UInt16]

    init?(_ text: String) {
        let gap = text.firstRange(of: "::")
        let front = gap.map { text[..<$0.lowerBound] } ?? text[...]
        guard let head = Self.pieces(front, isLast: gap == nil) else { return nil }
        guard let gap else {
            guard head.count == Self.pieceCount else { return nil }
            pieces = head
            return
        }
        guard let tail = Self.pieces(text[gap.upperBound...], isLast: true),
            head.count + tail.count < Self.pieceCount
        else { return nil }
        let zeros = Self.pieceCount - head.count - tail.count
        pieces = head + Array(repeating: 0, count: zeros) + tail
    }

    /// The address in lower case, without leading zeros, the first longest run of zeros as `::`.
    var text: String {
        var run = 0..<0
        var start = 0
        while start < pieces.count {
            let end = pieces[start...].firstIndex { $0 != 0 } ?? pieces.count
            if end - start > max(run.count, 1) { run = start..<end }
            start = end + 1
        }
        let hex = pieces.map { String($0, radix: 16) }
        guard !run.isEmpty else { return hex.joined(separator: ":") }
        return hex[..<run.lowerBound].joined(separator: ":") + "::"
            + hex[run.upperBound...].joined(separator: ":")
    }

    /// Returns the numbers between colons; the last two may be written as an IPv4 address.
    private static func pieces(_ text: Substring, isLast: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var pieces: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if isLast, index == parts.count - 1, part.utf8.contains(UInt8(ascii: ".")) {
                guard let octets = octets(part) else { return nil }
                pieces += [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
                continue
            }
            // The integer initialiser would accept a sign.
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHex),
                let piece = UInt16(part, radix: 16)
            else { return nil }
            pieces.append(piece)
        }
        return pieces
    }

    private static func octets(_ text: Substring) -> [UInt16]? {
        guard let address = try? HostName(text), address.isAddress else { return nil }
        return address.text.split(separator: ".").compactMap { UInt16($0) }
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
            || (0x61...0x66).contains(byte)
    }
}
