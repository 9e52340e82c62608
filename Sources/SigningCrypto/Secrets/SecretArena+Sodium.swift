// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import Synchronization

/// A pool of places for small secrets in shared locked allocations.
///
/// Separate allocations of a page and three mappings would exhaust the limits of locked memory and
/// of mappings after some thousands. Each part has guard pages at both ends, and its pages are
/// locked.
@safe final class SecretArena: Sendable {
    static let shared = SecretArena()
    /// The largest secret that fits a place, in bytes.
    static let placeBytes = 128
    static let partBytes = 65_536
    /// The most parts: half of the 8 MiB that systems let a process lock.
    static let partsMax = 64

    private struct State {
        /// The addresses of parts and of free places.
        var parts: [UInt] = []
        var free: [UInt] = []
        var isFull = false
    }

    private let partsMax: Int
    private let state = Mutex(State())

    /// Makes an arena; all secrets share one.
    init(partsMax: Int = SecretArena.partsMax) { self.partsMax = partsMax }

    /// The number of locked bytes.
    var lockedBytes: Int { state.withLock { $0.parts.count * Self.partBytes } }

    /// Returns a zeroed place; nil if the secret is too large or no place is free.
    func take(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        guard count <= Self.placeBytes else { return nil }
        let address: UInt? = state.withLock { state in
            if state.free.isEmpty { grow(&state) }
            return state.free.popLast()
        }
        return unsafe address.flatMap { unsafe UnsafeMutablePointer(bitPattern: $0) }
    }

    /// Returns whether an address is in a slot of this arena.
    func holds(_ place: UnsafeMutablePointer<UInt8>) -> Bool {
        let address = UInt(bitPattern: place)
        return state.withLock { state in
            state.parts.contains { ($0..<$0 + UInt(Self.partBytes)).contains(address) }
        }
    }

    /// Wipes a place for reuse.
    func giveBack(_ place: UnsafeMutablePointer<UInt8>) {
        unsafe sodium_memzero(place, Self.placeBytes)
        let address = UInt(bitPattern: place)
        state.withLock { $0.free.append(address) }
    }

    private func grow(_ state: inout State) {
        guard !state.isFull, state.parts.count < partsMax,
            let part = unsafe sodium_malloc(Self.partBytes)
        else { return }
        // sodium_malloc does not report whether the pages could be locked.
        guard unsafe sodium_mlock(part, Self.partBytes) == 0 else {
            unsafe sodium_free(part)
            state.isFull = true
            return
        }
        unsafe sodium_memzero(part, Self.partBytes)
        let start = UInt(bitPattern: part)
        state.parts.append(start)
        let count = UInt(Self.partBytes / Self.placeBytes)
        state.free += (0..<count).reversed().map { start + $0 * UInt(Self.placeBytes) }
    }
}
