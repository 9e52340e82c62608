// SPDX-License-Identifier: Apache-2.0

import NIP155
import Nostr
import SigningService

@main
struct OneAdapter {
    static func main() async throws {
        let path = "/tmp/one-adapter-\(UInt64.random(in: 0 ... .max))"
        let passphrase = SecretBytes.random(count: 32)
        // One chain and one wire: nothing else is spoken here.
        let nostr = ProtocolSupport(chains: [NostrChain()], wires: [NIP155Adapter()])
        try OpenHome.create(at: path, speaking: nostr, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: nostr)
        let key = try home.makeKey(.nostr, name: "app", passphrase: passphrase)
        // Notes (kind 1) of its own app and nothing else; that the app asks for the first time is
        // no reason to ask.
        try home.attest(
            policy: """
                version = 1
                default = "deny"
                [[rule]]
                id = "notes-only"
                effect = "allow"
                protocol = "nostr"
                operation = "sign_event"
                kind = 1
                client = "myapp"
                acknowledge = ["new_client"]
                """, passphrase: passphrase)
        let signer = try LocalSigner(of: home, asking: NoApproval())
        try signer.unlock(passphrase: passphrase)
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D"
        let answer = await signer.answer(Frame(url, from: .inProcess()))
        switch (answer.ending, answer.reply) {
        case (.outcome(.done), .message(let reply)):
            print(String(decoding: reply, as: UTF8.self))
        case (.outcome(.denied(let reason)), _), (.outcome(.failed(let reason)), _):
            print("key \(key.name): \(reason.text)")
        case (.refused(let error), _): print("key \(key.name): \(error.reason)")
        case (.outcome(.done), _): print("key \(key.name): there is nothing to hand over")
        }
        try signer.finish()
    }
}
