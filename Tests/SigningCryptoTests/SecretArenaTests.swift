// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import SigningCrypto

extension SecretArena {
    /// Fills a new place with one value; nil if the arena is full.
    fileprivate func fill(_ count: Int, with value: UInt8) -> UInt? {
        guard let place = unsafe take(count) else { return nil }
        unsafe place.update(repeating: value, count: count)
        return UInt(bitPattern: place)
    }

    fileprivate func giveBack(at address: UInt) {
        guard let place = unsafe UnsafeMutablePointer<UInt8>(bitPattern: address) else { return }
        unsafe giveBack(place)
    }

    fileprivate func holds(_ address: UInt) -> Bool {
        guard let place = unsafe UnsafeMutablePointer<UInt8>(bitPattern: address) else {
            return false
        }
        return unsafe holds(place)
    }
}

private func bytes(at address: UInt, _ count: Int) -> [UInt8] {
    unsafe Array(
        UnsafeBufferPointer(start: UnsafePointer<UInt8>(bitPattern: address), count: count))
}

@Suite("The memory of small secrets")
struct SecretArenaTests {
    private static let places = SecretArena.partBytes / SecretArena.placeBytes

    @Test("10,000 secrets need some twenty parts, and none overlaps another")
    func many() {
        let arena = SecretArena()
        let count = 10_000
        let taken = (0..<count).compactMap { arena.fill(64, with: UInt8(truncatingIfNeeded: $0)) }
        // If almost no memory may be locked, there is no arena and each secret has its own pages.
        guard !taken.isEmpty else { return }
        #expect(taken.count == count && Set(taken).count == count)
        #expect(arena.lockedBytes == (count + Self.places - 1) / Self.places * 65_536)
        let areWhole = taken.enumerated().allSatisfy { number, address in
            bytes(at: address, 64).allSatisfy { $0 == UInt8(truncatingIfNeeded: number) }
        }
        #expect(areWhole && taken.allSatisfy { arena.holds($0) })
        for address in taken { arena.giveBack(at: address) }
        let areWiped = taken.allSatisfy { address in
            bytes(at: address, SecretArena.placeBytes).allSatisfy { $0 == 0 }
        }
        #expect(areWiped)
        // A released place is used again.
        let before = arena.lockedBytes
        let again = Set((0..<count).compactMap { _ in arena.fill(1, with: 1) })
        #expect(again == Set(taken) && arena.lockedBytes == before)
    }

    @Test("its pages are locked and kept out of core files")
    func locked() throws {
        let secret = SecretBytes(count: 32) { _ in }
        let address = secret.withSpan { span in
            unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        guard SecretArena.shared.holds(address) else { return }
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
        let data = try file.readToEnd() ?? Data()
        var isIt = false
        var flags: [Substring] = []
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let ends = line.prefix { $0 != " " }.split(separator: "-")
            if ends.count == 2, let first = UInt(ends[0], radix: 16),
                let last = UInt(ends[1], radix: 16)
            {
                isIt = (first..<last).contains(address)
            } else if isIt, line.hasPrefix("VmFlags:") {
                flags = line.split(separator: " ")
            }
        }
        #expect(flags.contains("lo") && flags.contains("dd"), "\(flags)")
    }

    @Test("a too large secret, or one without room, has its own pages")
    func full() {
        let arena = SecretArena(partsMax: 0)
        #expect(arena.fill(1, with: 1) == nil && arena.lockedBytes == 0)
        #expect(SecretArena().fill(SecretArena.placeBytes + 1, with: 1) == nil)
        for count in [0, 1, SecretArena.placeBytes, SecretArena.placeBytes + 1, 5_000] {
            let secret = SecretBytes(count: count) { bytes in
                for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) }
            }
            let isWhole = secret.withSpan { span in
                span.indices.allSatisfy { span[$0] == UInt8(truncatingIfNeeded: $0) }
            }
            #expect(isWhole && secret.count == count)
        }
    }

    @Test("many threads get places of their own")
    func threads() async {
        let arena = SecretArena()
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...8 {
                group.addTask {
                    for _ in 0..<2_000 {
                        guard let place = arena.fill(32, with: UInt8(number)) else { continue }
                        let isOwn = bytes(at: place, 32).allSatisfy { $0 == UInt8(number) }
                        arena.giveBack(at: place)
                        if !isOwn { return false }
                    }
                    return true
                }
            }
            for await isOwn in group { #expect(isOwn) }
        }
        #expect(arena.lockedBytes <= SecretArena.partBytes)
    }
}
