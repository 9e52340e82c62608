// SPDX-License-Identifier: Apache-2.0

/// The limits of the contents that a wire accepts.
package struct NostrLimits: Hashable, Sendable {
    /// The maximum size of an event as JSON, in bytes.
    package let eventBytesMax: Int
    /// The maximum number of tags of an event.
    package let tagsMax: Int
    /// The maximum length of a text to encrypt or to decrypt, in bytes.
    package let textBytesMax: Int

    /// The default for the maximum length of a text, in bytes.
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
