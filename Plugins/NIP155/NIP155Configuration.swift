// SPDX-License-Identifier: Apache-2.0

public import NIP155Messages
public import Nostr
public import SigningCore

/// The settings of an installation for NIP-155.
public struct NIP155Configuration: Hashable, Sendable {
    /// The scheme that all signers share, and the scheme that only this signer has.
    public static let standardSchemes = CallbackRules.standardSchemes

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

    /// The rules for callbacks.
    var callbackRules: CallbackRules {
        CallbackRules(extraSchemes: extraSchemes, allowsLoopbackHTTP: allowsLoopbackHTTP)
    }

    /// The names that only an answer may contain; they are removed from a callback.
    var reservedNames: Set<String> {
        xCallbackCompatible ? Self.answerNames.union(Self.compatibleNames) : Self.answerNames
    }

    private static let compatibleNames = Set(
        [AnswerParameterName.compatibleCode, .compatibleReason].map(\.rawValue))
    private static let answerNames = Set(AnswerParameterName.allCases.map(\.rawValue))
        .subtracting(compatibleNames)
}
