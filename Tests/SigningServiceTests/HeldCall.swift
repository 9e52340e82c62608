// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import SigningCodecs
import SigningCore

/// The kinds of clients, with the peers that their transports report.
enum ClientKind: CaseIterable {
    case page, framedPage, windowPage, link, app, token, liquid

    var hasToken: Bool { [.page, .framedPage, .token].contains(self) }
}

/// Calls that name an account.
enum HeldCall: CaseIterable {
    case transfer, message, delegate, publicKey, signIn, algorandMessage, algorandGroup
    case nip155, nip55, connect, ceremony

    var isSignIn: Bool { self == .signIn }

    var chain: String {
        switch self {
        case .transfer, .message, .delegate, .publicKey, .signIn: "near"
        case .algorandMessage, .algorandGroup, .ceremony: "algorand"
        case .nip155, .nip55, .connect: "nostr"
        }
    }

    var wire: AdapterID {
        switch self {
        case .transfer, .message, .delegate, .publicKey, .signIn: AdapterID("nep413")
        case .algorandMessage, .algorandGroup: AdapterID("arc27")
        case .nip155: AdapterID("nip155")
        case .nip55: AdapterID("nip55")
        case .connect: AdapterID("connect-nostr")
        case .ceremony: AdapterID("liquid")
        }
    }

    /// The name of the held account as the call writes it.
    func name(among accounts: [Account]) -> String? {
        let account = accounts.first { $0.protocolID.name == chain }
        return switch self {
        case .publicKey: account.map { KeyText.ed25519($0.publicKey) }
        case .nip155, .nip55: account.map { Hex.encode($0.publicKey.span) }
        case .connect: account?.name
        default: account?.address
        }
    }

    /// The name of an account that is not held.
    var other: String {
        switch self {
        case .publicKey: KeyText.ed25519([UInt8](repeating: 7, count: 32))
        case .algorandMessage, .algorandGroup, .ceremony:
            AlgorandAddress.text(publicKey: [UInt8](repeating: 7, count: 32).span)
        case .nip155, .nip55:
            "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
        case .connect: "nothing"
        default: "other.near"
        }
    }

    func frame(naming name: String) -> [UInt8] {
        let transfer =
            #""receiverId":"b.near","actions":[{"type":"Transfer","params":{"deposit":"1"}}]"#
        let network = #""network":"mainnet""#
        let nonce = [UInt8](repeating: 1, count: 32)
        let challenge = Base64.encode(nonce.span, alphabet: .url, padding: false)
        return Array(text(name, transfer, network, nonce, challenge).utf8)
    }

    private func text(
        _ name: String, _ transfer: String, _ network: String, _ nonce: [UInt8],
        _ challenge: String
    ) -> String {
        switch self {
        case .transfer:
            #"{"method":"signAndSendTransaction","params":{\#(network),"signerId":"\#(name)","#
                + "\(transfer)}}"
        case .publicKey:
            #"{"method":"signTransaction","params":{\#(network),"publicKey":"\#(name)","#
                + "\(transfer)}}"
        case .delegate:
            #"{"method":"signDelegateActions","params":{\#(network),"signerId":"\#(name)","#
                + #""delegateActions":[{\#(transfer)}]}}"#
        case .message:
            #"{"method":"signMessage","params":{\#(network),"signerId":"\#(name)","#
                + #""message":"hi","recipient":"b","nonce":"\#(Base64.encode(nonce.span))"}}"#
        case .signIn:
            #"{"method":"signIn","params":{\#(network),"signerId":"\#(name)"}}"#
        case .algorandMessage:
            Self.arc27("sign_message", #""message":"hi","signer":"\#(name)""#)
        case .algorandGroup:
            Self.arc27(
                "sign_transactions",
                #""txns":[{"txn":"\#(Self.payment(name))"},"#
                    + #"{"txn":"\#(Self.payment(Self.foreign))"}]"#)
        case .nip155:
            "nostrsigner://sign_event?type=sign_event&current_user=\(name)"
                + "&x-success=https://app.example/ok&x-error=https://app.example/no"
                + "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D"
        case .nip55:
            "nostrsigner:%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%2C%22tags%22%3A%5B%5D"
                + "%2C%22created_at%22%3A1%2C%22pubkey%22%3A%22\(name)%22%7D"
                + "?type=sign_event&returnType=signature&compressionType=none"
                + "&callbackUrl=https://app.example/?sig="
        case .connect:
            #"{"keys":["\#(name)"],"scopes":[{"method":"sign_event","kind":1}],"seconds":60}"#
        case .ceremony:
            #"{"liquid":"register","origin":"https://app.example","requestId":"r","#
                + #""address":"\#(name)","device":"d","options":{"rp":{"id":"app.example","#
                + #""name":"a"},"user":{"id":"AA","name":"n","displayName":"n"},"#
                + #""challenge":"\#(challenge)""#
                + #","pubKeyCredParams":[{"type":"public-key","alg":-7}]}}"#
        }
    }

    private static func arc27(_ method: String, _ params: String) -> String {
        #"{"id":"46f1b7f4-3ae6-4d6b-bd08-d2ed0f2a1a3c","reference":"arc0027:\#(method):request","#
            + #""params":{"providerId":"PROVIDER",\#(params)}}"#
    }

    private static let foreign = AlgorandAddress.text(
        publicKey: [UInt8](repeating: 9, count: 32).span)

    /// A payment of 0 to an unused address.
    private static func payment(_ sender: String) -> String {
        let key = (try? AlgorandAddress.parse(sender)) ?? []
        var bytes: [UInt8] = [0x88]
        bytes += Self.member("amt", [0x01])
        bytes += Self.member("fee", [0xCD, 0x03, 0xE8])
        bytes += Self.member("fv", [0x01])
        bytes += Self.member("gh", [0xC4, 0x20] + AlgorandNetwork.testnet.genesisHash)
        bytes += Self.member("lv", [0xCD, 0x03, 0xE8])
        bytes += Self.member("rcv", [0xC4, 0x20] + [UInt8](repeating: 5, count: 32))
        bytes += Self.member("snd", [0xC4, 0x20] + key)
        bytes += Self.member("type", [0xA3] + Array("pay".utf8))
        return Base64.encode(bytes.span)
    }

    private static func member(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [0xA0 | UInt8(name.utf8.count)] + Array(name.utf8) + value
    }
}
