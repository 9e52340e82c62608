// SPDX-License-Identifier: Apache-2.0

package import Nostr
import SigningCodecs

/// The sizes that NIP-155 leaves to the signer.
public struct NIP155Limits: Hashable, Sendable {
    /// The maximum length of a request URL, in bytes.
    public var urlBytesMax: Int
    /// The maximum length of an opened URL with an answer, in bytes.
    public var callbackBytesMax: Int
    /// The maximum for https callbacks, whose longer answers are sent by POST, in bytes.
    public var webCallbackBytesMax: Int
    /// The maximum length of an event as JSON after decompression, in bytes.
    public var eventBytesMax: Int
    /// The maximum number of tags of an event.
    public var tagsMax: Int
    /// The maximum length of a text to encrypt or to decrypt, after decompression, in bytes.
    public var textBytesMax: Int
    /// The default for the maximum length of a text, in bytes.
    public static let usualTextBytesMax = 1 << 20
    /// The maximum size of a drop box, in bytes.
    public var dropBoxBytesMax: Int

    /// Creates limits; only a URL on standard input can have the default length.
    public init(
        urlBytesMax: Int = 1 << 20, callbackBytesMax: Int = 64 << 10,
        webCallbackBytesMax: Int? = nil,
        eventBytesMax: Int = 512 << 10, tagsMax: Int = 5_000,
        textBytesMax: Int = Self.usualTextBytesMax,
        dropBoxBytesMax: Int = 2 << 20
    ) {
        self.urlBytesMax = urlBytesMax
        self.callbackBytesMax = callbackBytesMax
        self.webCallbackBytesMax = webCallbackBytesMax ?? callbackBytesMax
        self.eventBytesMax = eventBytesMax
        self.tagsMax = tagsMax
        self.textBytesMax = textBytesMax
        self.dropBoxBytesMax = dropBoxBytesMax
    }
}

extension NIP155Limits {
    /// Returns the maximum length of a URL with an answer at a callback, in bytes.
    package func bytesMax(at callback: Callback) -> Int {
        callback.origin?.scheme == "https" ? webCallbackBytesMax : callbackBytesMax
    }

    /// The limits of tasks for a key.
    package var ofTasks: NostrLimits {
        NostrLimits(eventBytesMax: eventBytesMax, tagsMax: tagsMax, textBytesMax: textBytesMax)
    }
}
