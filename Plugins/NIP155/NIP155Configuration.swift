// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// The settings of an installation for NIP-155.
public struct NIP155Configuration: Hashable, Sendable {
    /// The scheme that all signers share, and the scheme that only this signer has.
    public static let standardSchemes = ["nostrsigner", "countersign-nostr"]

    /// Additional schemes, in lower case.
    public var extraSchemes: [String]
    /// True if an answer may go to `http://127.0.0.1`, `http://[::1]` or `http://localhost`.
    public var allowsLoopbackHTTP: Bool
    /// True if errors also have `errorCode` and `errorMessage`, as in x-callback-url 1.0.
    public var xCallbackCompatible: Bool
    /// The value of `package` in the answer to `get_public_key`: the reverse-DNS name of this hub.
    public var package: String
    /// True if payloads and results may use a drop box, which the transport must support.
    public var takesDropBoxes: Bool
    /// The maximum rate of requests of a client.
    public var pace: Pace
    /// The accounts that clients may use, as the owner set them.
    public var clients: ClientAccounts
    /// The maximum sizes of requests and answers.
    public var limits: NIP155Limits

    /// Creates a configuration; the defaults are the strict choices.
    public init(
        extraSchemes: [String] = [], allowsLoopbackHTTP: Bool = true,
        xCallbackCompatible: Bool = false, package: String = "io.countersign.hub",
        takesDropBoxes: Bool = false, pace: Pace = Pace(),
        clients: ClientAccounts = ClientAccounts(), limits: NIP155Limits = NIP155Limits()
    ) {
        self.extraSchemes = extraSchemes
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.xCallbackCompatible = xCallbackCompatible
        self.package = package
        self.takesDropBoxes = takesDropBoxes
        self.pace = pace
        self.clients = clients
        self.limits = limits
    }

    /// Returns true if this adapter handles the scheme; a callback must not have such a scheme.
    func answers(_ scheme: String) -> Bool {
        Self.standardSchemes.contains(scheme) || extraSchemes.contains(scheme)
    }

    /// The names that only an answer may contain; they are removed from a callback.
    var reservedNames: Set<String> {
        xCallbackCompatible ? Self.answerNames.union(Self.compatibleNames) : Self.answerNames
    }

    private static let answerNames: Set = [
        "id", "result", "event", "pubkey", "package", "granted_permissions", "compressionType",
        "result_ref", "code", "reason",
    ]
    private static let compatibleNames: Set = ["errorCode", "errorMessage"]
}

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
    public static let usualTextBytesMax = NostrLimits.usualTextBytesMax
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
    func bytesMax(at callback: Callback) -> Int {
        callback.origin?.scheme == "https" ? webCallbackBytesMax : callbackBytesMax
    }

    /// The limits of tasks for a key.
    var ofTasks: NostrLimits {
        NostrLimits(eventBytesMax: eventBytesMax, tagsMax: tagsMax, textBytesMax: textBytesMax)
    }
}
