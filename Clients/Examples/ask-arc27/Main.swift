// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Client
import Algorand
import ExampleSigner
import SigningService

/// An app that asks an ARC-27 provider to sign a message.
@main
struct Main {
    static func main() async throws {
        let signer = try ExampleSigner(
            AlgorandChain(),
            ARC27Adapter(ARC27Configuration(providerID: "85533948-4d0b-4727-904e-dd35305d49aa")))
        let address = signer.account.address
        func send(_ frame: [UInt8]) async throws -> [UInt8] { try await signer.reply(to: frame) }
        func isValid(_ signature: ARC27Client.MessageSignature, of address: String) throws -> Bool {
            let key = try AlgorandAddress.parse(address)
            return signature.readings.contains { reading in
                guard case .prefixed(let bytes) = reading else { return false }
                return Signatures.isValidEd25519(
                    signature: signature.signature.span, message: bytes.span, publicKey: key.span)
            }
        }
        func id() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: 0 ... .max) } }

        let client = try ARC27Client(providerID: "85533948-4d0b-4727-904e-dd35305d49aa")
        let request = try client.request(.signMessage("hello", signer: address), freshID: id())
        let frame = try await send(request.frame(.json))
        switch try request.read(frame.span) {
        case .messageSigned(let signature):
            try expect("valid signature", isValid(signature, of: address), true)
        case .refused(let refusal): throw Unexpected("\(refusal.code): \(refusal.message)")
        default: throw Unexpected("a reply to another method")
        }
    }
}
