// SPDX-License-Identifier: Apache-2.0

import NIP155
import Nostr
import SigningService

@main
struct OneAdapter {
    static func main() async throws {
        let path = "/tmp/one-adapter-\(UInt64.random(in: 0 ... .max))"
        let passphrase = SecretBytes.random(count: 32)
        // This home knows one protocol, Nostr, and takes requests as NIP-155 URLs only.
        let nostr = ProtocolSupport(chains: [NostrChain()], wires: [NIP155Adapter()])
        try OpenHome.create(at: path, speaking: nostr, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: nostr)
        let key = try home.makeKey(.nostr, name: "app", passphrase: passphrase)
        // Allows notes (kind 1) to one client, its first request included ("new_client").
        try home.attest(
            policy: """
                version = 2
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
        // Your app can pass an Approval of its own here, which asks its user.
        let signer = try LocalSigner(of: home, asking: NoApproval())
        try signer.unlock(passphrase: passphrase)
        // A note and a reaction (kind 7).
        for kind in [1, 7] {
            let url =
                "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
                + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
            let answer = await signer.answer(Frame(url, from: .inProcess()))
            switch (answer.ending, answer.reply) {
            case (.outcome(.done), .message(let reply)):
                print(String(decoding: reply, as: UTF8.self))
            case (.outcome(.denied(let reason)), _), (.outcome(.failed(let reason)), _):
                print("kind \(kind), key \(key.name): \(reason.text)")
            case (.refused(let error), _): print("kind \(kind): \(error.reason)")
            case (.outcome(.done), _): print("kind \(kind): done, without a reply")
            }
        }
        try signer.finish()
    }
}
