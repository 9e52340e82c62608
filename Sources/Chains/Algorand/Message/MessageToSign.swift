// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// The bytes that are signed for a text.
public enum AlgorandMessageMode: String, Hashable, Sendable, CaseIterable {
    /// The prefix "MX" and the text.
    case mx
    /// The text alone, which must not begin with a reserved prefix.
    case raw
}

/// A message that a key is asked to sign.
package struct MessageToSign {
    /// The content that is signed.
    package enum Content {
        /// The prefix "MX" and a text.
        case text(String)
        /// A text alone.
        case rawText(String)
        /// The data and authenticator data of ARC-60.
        case login(ARC60Login)
    }

    /// The account whose key signs.
    package let account: Account
    package let content: Content
    /// The account that the message is signed for.
    package let subject: Account
    /// The key that signs for this account, and the source of that fact.
    package let authority: Authority

    /// The maximum length of a text or of login data, in bytes.
    package static let bytesMax = 16 << 10
    /// The length beyond which a person may not see the whole text, in bytes.
    private static let bytesUsual = 2_048

    /// Reads a text and the mode that the client chose.
    package init(
        text: String, by account: Account, _ mode: AlgorandMessageMode,
        for subject: Account? = nil, _ authority: Authority? = nil
    ) throws(AlgorandRefusal) {
        guard text.utf8.count <= Self.bytesMax else {
            throw .invalid("params.message has more than \(Self.bytesMax) bytes")
        }
        self.account = account
        self.subject = subject ?? account
        self.authority = authority ?? Authority(account.publicKey, by: .own)
        switch mode {
        case .mx: content = .text(text)
        case .raw:
            let bytes = Array(text.utf8)
            if let prefix = ReservedPrefixes.first(of: ReservedPrefixes.ofAccounts, in: bytes) {
                throw .invalid("params.message begins with the reserved prefix \(prefix)")
            }
            guard SigningDomain.isRawText(bytes) else {
                throw .invalid(
                    "params.message has the 64 bytes of an ARC-60 message, or 32 of a challenge")
            }
            content = .rawText(text)
        }
    }

    package init(
        _ login: ARC60Login, by account: Account, for subject: Account? = nil,
        _ authority: Authority? = nil
    ) {
        self.account = account
        self.subject = subject ?? account
        self.authority = authority ?? Authority(account.publicKey, by: .own)
        content = .login(login)
    }

    /// The operation that the policy judges.
    package var operation: RequestedOperation {
        RequestedOperation(
            account: account, operation: .sign(SigningInput(domain: domain, preimage: preimage)),
            facts: [], effects: [.provesIdentity], dangers: [])
    }

    package func facts() -> [Fact] {
        var facts = [
            Fact("message.mode", .text(mode)),
            Fact("message.bytes", .integer(Int128(bytes.count))),
        ]
        if isRekeyed {
            facts.append(Fact("address", .text(subject.address)))
            facts.append(Fact("auth_address", .text(account.address)))
        }
        switch content {
        case .text(let text), .rawText(let text):
            return facts + [
                Fact("message.hash", .bytes(Digest.sha256(bytes.span))),
                Fact("message.text", .text(text)),
            ]
        case .login(let login): return facts + login.facts()
        }
    }

    package var dangers: [Danger] {
        var dangers: [Danger] = []
        switch content {
        case .text: break
        case .rawText: dangers.append(.rawMessage)
        case .login(let login): if !login.isFromDomain { dangers.append(.clientMismatch) }
        }
        if bytes.count > Self.bytesUsual { dangers.append(.oversize) }
        if hasHidden { dangers.append(.controlCharacters) }
        if isRekeyed { dangers.append(.rekeyedAccount) }
        if authority.isUnconfirmed { dangers.append(.authorityUnknown) }
        return dangers
    }

    /// True if the key of another account signs.
    private var isRekeyed: Bool { account.publicKey != subject.publicKey }

    /// True if a person would not see everything that is shown.
    private var hasHidden: Bool {
        switch content {
        case .text(let text), .rawText(let text): VisibleText.hasHidden(text)
        // JSON text has its control characters escaped; the lines hold the characters themselves.
        case .login(let login): login.lines.contains { VisibleText.hasHidden($0.text) }
        }
    }

    private var mode: String {
        switch content {
        case .text: "mx"
        case .rawText: "raw"
        case .login: "arc60"
        }
    }

    /// The text that is signed, or the readable form of the data.
    private var text: String {
        switch content {
        case .text(let text), .rawText(let text): text
        case .login(let login): login.text
        }
    }

    private var bytes: [UInt8] { Array(text.utf8) }

    private var domain: SigningDomain.ID {
        switch content {
        case .text: SigningDomain.algorandMessageID
        case .rawText: SigningDomain.algorandRawMessageID
        case .login: SigningDomain.algorandLoginID
        }
    }

    private var preimage: [UInt8] {
        switch content {
        case .text: SigningDomain.algorandMessagePrefix + bytes
        case .rawText: bytes
        case .login(let login): login.preimage
        }
    }
}

extension MessageToSign {
    /// The summary for a person.
    package var summary: Summary {
        var lines = [
            Summary.Line("account", "\(subject.name) \(subject.address)").essential()
        ]
        if isRekeyed {
            lines.append(.init("signed by", "\(account.name) \(account.address)").essential())
        }
        var warnings = dangers.compactMap { danger in
            danger == .rekeyedAccount ? authority.rekeyedWarning : danger.warning
        }
        switch content {
        case .text(let text):
            lines.append(.init("message", text, by: .client))
            lines.append(.init("signed", "the message behind the letters MX"))
        case .rawText(let text):
            lines.append(.init("message", text, by: .client))
            lines.append(.init("signed", "the message alone"))
            if let prefix = ReservedPrefixes.first(of: ReservedPrefixes.ofNodes, in: text.utf8) {
                warnings.append("it begins with \(prefix), as data that nodes sign does")
            }
        case .login(let login):
            lines += login.lines
            warnings += login.warnings(subject)
        }
        return Summary(
            title: isLogin
                ? "Log in as this account: sign in with Algorand"
                : "Sign a message with an Algorand key",
            lines: lines, warnings: warnings, raw: raw)
    }

    private var raw: [Summary.Raw] {
        switch content {
        case .text(let text), .rawText(let text): [Summary.Raw("message", text)]
        case .login(let login):
            [
                Summary.Raw("data", login.text),
                Summary.Raw("authenticator data", login.authenticatorData.bytes),
            ]
        }
    }

    private var isLogin: Bool { if case .login = content { true } else { false } }
}
