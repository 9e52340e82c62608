// SPDX-License-Identifier: Apache-2.0

/// The cost of turning a passphrase into a key.
///
/// The values may come from a file: they are checked where they are used, so that a changed
/// file makes neither a weak key nor an endless computation.
public struct Argon2Parameters: Hashable, Sendable {
    /// Memory the computation fills, in KiB.
    public let memoryKiB: Int
    /// How often it is filled.
    public let passes: Int

    /// Names a cost; it may still lie outside the accepted range.
    public init(memoryKiB: Int, passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// What new keys are made with: 64 MiB, 3 passes.
    public static let standard = Argon2Parameters(memoryKiB: 64 * 1024, passes: 3)
    /// The least that is accepted: 19 MiB, 2 passes.
    public static let floor = Argon2Parameters(memoryKiB: 19 * 1024, passes: 2)
    /// The most that is accepted: 1 GiB, 20 passes.
    public static let ceiling = Argon2Parameters(memoryKiB: 1024 * 1024, passes: 20)

    /// Whether memory and passes both lie between `floor` and `ceiling`.
    public var isSupported: Bool {
        (Self.floor.memoryKiB...Self.ceiling.memoryKiB).contains(memoryKiB)
            && (Self.floor.passes...Self.ceiling.passes).contains(passes)
    }
}
