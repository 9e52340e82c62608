// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The part of RFC 6455 that a test server needs.
enum WebSocketFrames {
    /// A message in one frame.
    static func frame(_ payload: [UInt8], opcode: UInt8 = 1) -> [UInt8] {
        let head: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: return head + [UInt8(payload.count)] + payload
        case ..<65_536:
            return head + [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
        default:
            let count = (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
            return head + [127] + count + payload
        }
    }

    /// The next message of a client; nil at the end of the connection.
    static func message(from connection: Int32) -> [UInt8]? {
        var message: [UInt8] = []
        while true {
            guard let head = read(2, from: connection) else { return nil }
            var count = Int(head[1] & 0x7F)
            if count > 125 {
                guard let more = read(count == 126 ? 2 : 8, from: connection) else { return nil }
                count = more.reduce(0) { $0 << 8 | Int($1) }
            }
            guard let mask = read(4, from: connection),
                let masked = read(count, from: connection)
            else { return nil }
            let payload = masked.indices.map { masked[$0] ^ mask[$0 % 4] }
            switch head[0] & 0x0F {
            case 0, 1, 2:
                message += payload
                if head[0] & 0x80 != 0 { return message }
            case 9: LoopbackSocket.write(frame(payload, opcode: 10), to: connection)
            case 8: return nil
            default: break
            }
        }
    }

    private static func read(_ count: Int, from connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe recv(connection, bytes.baseAddress?.advanced(by: done), count - done, 0)
            }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    /// The server's answer to the key of a client (RFC 6455, 4.2.2).
    static func acceptance(of key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Data(sha1(Array(text.utf8))).base64EncodedString()
    }

    /// SHA-1 (FIPS 180-4), which only this handshake needs.
    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var padded = bytes + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = 8 * bytes.count
        padded += (0..<8).reversed().map { UInt8(bits >> (8 * $0) & 0xFF) }
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
            word << count | word >> (32 - count)
        }
        for start in stride(from: 0, to: padded.count, by: 64) {
            var words = stride(from: start, to: start + 64, by: 4).map { place in
                padded[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for place in 16..<80 {
                words.append(
                    turned(
                        words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16],
                        1))
            }
            var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
            for place in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch place {
                    case ..<20: (b & c | ~b & d, 0x5A82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = turned(a, 5) &+ mixed &+ e &+ constant &+ words[place]
                (e, d, c, b, a) = (d, c, turned(b, 30), a, next)
            }
            for (place, word) in [a, b, c, d, e].enumerated() { hash[place] &+= word }
        }
        return hash.flatMap { word in (0..<4).reversed().map { UInt8(word >> ($0 * 8) & 0xFF) } }
    }
}
