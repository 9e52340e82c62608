// SPDX-License-Identifier: Apache-2.0

/// The largest contents that a wire reads.
package struct NostrLimits: Hashable, Sendable {
    /// The longest event, as JSON.
    package let eventBytesMax: Int
    /// The most tags of an event.
    package let tagsMax: Int
    /// The longest text to encrypt or to decrypt.
    package let textBytesMax: Int

    /// As long as a text may be where nobody chose another limit.
    package static let usualTextBytesMax = 1 << 20

    package init(
        eventBytesMax: Int = 512 << 10, tagsMax: Int = 5_000,
        textBytesMax: Int = Self.usualTextBytesMax
    ) {
        self.eventBytesMax = eventBytesMax
        self.tagsMax = tagsMax
        self.textBytesMax = textBytesMax
    }
}
