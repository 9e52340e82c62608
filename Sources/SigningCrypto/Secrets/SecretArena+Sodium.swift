// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import Synchronization

/// Places for small secrets, many in one locked allocation.
///
/// A page and three mappings for each would use up what may be locked, and what may be mapped, with
/// some thousands. Guard pages stand at both ends of a part, whose pages are locked.
@safe final class SecretArena: Sendable {
    static let shared = SecretArena()
    /// The largest secret that has its place here, in bytes.
    static let placeBytes = 128
    static let partBytes = 65_536
    /// Half of the 8 MiB that systems let a process lock.
    static let partsMax = 64

    private struct State {
        /// The addresses of parts, and of places that are free.
        var parts: [UInt] = []
        var free: [UInt] = []
        var isFull = false
    }

    private let partsMax: Int
    private let state = Mutex(State())

    /// Makes one; all secrets share one.
    init(partsMax: Int = SecretArena.partsMax) { self.partsMax = partsMax }

    /// How many bytes it holds locked.
    var lockedBytes: Int { state.withLock { $0.parts.count * Self.partBytes } }

    /// A zeroed place; nil where the secret is too large for one, or there is none.
    func take(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        guard count <= Self.placeBytes else { return nil }
        let address: UInt? = state.withLock { state in
            if state.free.isEmpty { grow(&state) }
            return state.free.popLast()
        }
        return unsafe address.flatMap { unsafe UnsafeMutablePointer(bitPattern: $0) }
    }

    /// Whether an address is of a place.
    func holds(_ place: UnsafeMutablePointer<UInt8>) -> Bool {
        let address = UInt(bitPattern: place)
        return state.withLock { state in
            state.parts.contains { ($0..<$0 + UInt(Self.partBytes)).contains(address) }
        }
    }

    /// Wipes a place, for the next.
    func giveBack(_ place: UnsafeMutablePointer<UInt8>) {
        unsafe sodium_memzero(place, Self.placeBytes)
        let address = UInt(bitPattern: place)
        state.withLock { $0.free.append(address) }
    }

    private func grow(_ state: inout State) {
        guard !state.isFull, state.parts.count < partsMax,
            let part = unsafe sodium_malloc(Self.partBytes)
        else { return }
        // sodium_malloc does not tell whether the pages could be locked.
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
