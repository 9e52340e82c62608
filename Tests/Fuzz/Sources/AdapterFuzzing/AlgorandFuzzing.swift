// SPDX-License-Identifier: Apache-2.0

import ARC27
import SigningCodecs
import SigningCore
import SigningCrypto

/// ARC-27 frames and their content: transactions and signed objects in MessagePack.
public enum AlgorandFuzzing {
    /// A provider as in the conversations of the vectors.
    private static let adapter = ARC27Adapter(
        ARC27Configuration(
            providerID: "85533948-4d0b-4727-904e-dd35305d49aa"))
    /// The public key of the seed 00 to 1f.
    private static let key = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"

    /// Decodes a frame, or the CBOR within one.
    public static func runFrame(_ input: [UInt8]) {
        answer(input, account(key))
        let text = Array(Base64.encode(input.span, alphabet: .url, padding: false).utf8)
        answer(text, account(key))
        _ = try? adapter.readSigned(input.span)
    }

    /// Decodes a transaction whose sender is held here; the signed bytes must equal the input.
    public static func runTransaction(_ bytes: [UInt8]) {
        guard let sender = sender(of: bytes) else { return }
        let frame: JSON = [
            "id": "1", "reference": "arc0027:sign_transactions:request",
            "params": ["txns": [["txn": .string(Base64.encode(bytes.span))]]],
        ]
        guard let reply = answer(frame.write(), account(sender)) else { return }
        guard let statement = try? adapter.readSigned(reply.span) else {
            preconditionFailure("unreadable answer")
        }
        precondition(statement.signatures.count == 1)
        let preimage = statement.signatures[0].readings[0].preimage
        precondition(preimage == Array("TX".utf8) + bytes, "signs something else")
    }

    /// Decodes a signed transaction; the bytes of its signature must be part of it.
    public static func runSigned(_ bytes: [UInt8]) {
        let text = Array(Base64.encode(bytes.span).utf8)
        guard let statement = try? adapter.readSigned(text.span) else { return }
        precondition(!statement.summary.text.isEmpty)
        for claim in statement.signatures {
            let preimage = claim.readings[0].preimage
            precondition(bytes.suffix(preimage.count - 2) == preimage.dropFirst(2))
        }
    }

    /// Decodes an ARC-60 login with these bytes after the domain hash of its authenticator data.
    public static func runLogin(_ bytes: [UInt8]) {
        let data = Digest.sha256(Array("app.example".utf8).span) + bytes
        let frame: JSON = [
            "id": "1", "reference": "arc0027:sign_message:request",
            "params": [
                "data": .string(Base64.encode(Array(login.utf8).span)),
                "signer": "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ",
                "domain": "app.example", "authenticatorData": .string(Base64.encode(data.span)),
                "metadata": ["scope": 1, "encoding": "base64"],
            ],
        ]
        let isAnswered = answer(frame.write(), account(key)) != nil
        precondition(isAnswered || !bytes.isEmpty, "the hash alone is no login")
    }

    private static let login = """
        {"account_address":"AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ",\
        "chain_id":"283","domain":"app.example","statement":"Sign in","type":"ed25519",\
        "uri":"https://app.example","version":"1"}
        """

    /// The answer, if the request signs anything.
    @discardableResult
    private static func answer(_ frame: [UInt8], _ account: Account) -> [UInt8]? {
        let context = DecodingContext(
            accounts: [account],
            peer: Peer(channel: "fuzz"),
            now: Timestamp(seconds: 1_790_000_000), freshID: [UInt8](repeating: 1, count: 16),
            wasSeen: { _ in nil })
        guard let request = AdapterFuzzing.check(adapter, frame, context) else { return nil }
        if let reason = request.terms.unserved {
            guard case .message = adapter.encode(.failed(reason), to: request) else {
                preconditionFailure("no refusal")
            }
            return nil
        }
        let results = request.operations.map { requested -> KeyResult in
            guard case .sign(let input) = requested.operation else {
                return .publicKey(requested.account.publicKey)
            }
            let hash = Digest.sha256(input.preimage.span)
            return .signature([UInt8](repeating: 5, count: 64), message: hash)
        }
        guard case .message(let bytes) = adapter.encode(.done(results), to: request) else {
            preconditionFailure("no answer")
        }
        return results.isEmpty ? nil : bytes
    }

    private static func sender(of bytes: [UInt8]) -> String? {
        guard case .map(let members) = try? MessagePack.decodeCanonical(bytes.span),
            case .binary(let key) = members.first(where: { $0.name == "snd" })?.value
        else { return nil }
        return Hex.encode(key.span)
    }

    private static func account(_ key: String) -> Account {
        AdapterFuzzing.account("algorand", .ed25519, key: key, address: "fuzz")
    }
}
