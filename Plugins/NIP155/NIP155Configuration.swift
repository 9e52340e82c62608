// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// What an installation may choose about NIP-155.
public struct NIP155Configuration: Hashable, Sendable {
    /// The scheme all signers share, and the one of this signer alone.
    public static let standardSchemes = ["nostrsigner", "countersign-nostr"]

    /// Schemes that are read besides the standard ones, lower case.
    public var extraSchemes: [String]
    /// Whether an answer may go to `http://127.0.0.1`, `http://[::1]` or `http://localhost`.
    public var allowsLoopbackHTTP: Bool
    /// Whether errors also carry `errorCode` and `errorMessage`, as x-callback-url 1.0 has them.
    public var xCallbackCompatible: Bool
    /// What `get_public_key` answers as `package`: this hub's reverse-DNS name.
    public var package: String
    /// Whether payloads and results may go by a drop box, which the transport has to offer.
    public var takesDropBoxes: Bool
    /// How fast a client may go.
    public var pace: Pace
    /// Which accounts clients get, as the owner set it.
    public var clients: ClientAccounts
    /// The largest requests and answers.
    public var limits: NIP155Limits

    /// Makes a configuration; the defaults are the strict choices.
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

    /// Whether a scheme leads to this adapter; no callback may have it.
    func answers(_ scheme: String) -> Bool {
        Self.standardSchemes.contains(scheme) || extraSchemes.contains(scheme)
    }

    /// Names that only an answer may carry; in a callback they are removed.
    var reservedNames: Set<String> {
        xCallbackCompatible ? Self.answerNames.union(Self.compatibleNames) : Self.answerNames
    }

    private static let answerNames: Set = [
        "id", "result", "event", "pubkey", "package", "granted_permissions", "compressionType",
        "result_ref", "code", "reason",
    ]
    private static let compatibleNames: Set = ["errorCode", "errorMessage"]
}

/// The sizes NIP-155 leaves to the signer.
public struct NIP155Limits: Hashable, Sendable {
    /// The longest request URL.
    public var urlBytesMax: Int
    /// The longest URL that is opened with an answer.
    public var callbackBytesMax: Int
    /// The same for https callbacks, where a page sends what no URL can hold.
    public var webCallbackBytesMax: Int
    /// The longest event, as JSON and after decompression.
    public var eventBytesMax: Int
    /// The most tags of an event.
    public var tagsMax: Int
    /// The longest text to encrypt or to decrypt, after decompression.
    public var textBytesMax: Int
    /// As long as a text may be where nobody chose another limit.
    public static let usualTextBytesMax = NostrLimits.usualTextBytesMax
    /// The largest content of a drop box.
    public var dropBoxBytesMax: Int

    /// Makes limits; a URL on a command line cannot even be this long, one on standard
    /// input can.
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
    /// The longest URL with an answer at a callback.
    func bytesMax(at callback: Callback) -> Int {
        callback.origin?.scheme == "https" ? webCallbackBytesMax : callbackBytesMax
    }

    /// Those that hold for what a key is asked to do.
    var ofTasks: NostrLimits {
        NostrLimits(eventBytesMax: eventBytesMax, tagsMax: tagsMax, textBytesMax: textBytesMax)
    }
}
