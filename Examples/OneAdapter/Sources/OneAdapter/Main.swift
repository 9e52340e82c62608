// SPDX-License-Identifier: Apache-2.0

import NIP155
import SigningCore
import SigningStorage

/// Allows notes (kind 1) of its own app and nothing else; what is flagged it leaves to a person.
struct NotesOnly: Policy {
    let hash = [UInt8](repeating: 1, count: 32)

    func understands(_: Fact, of _: ProtocolID) -> Bool { true }

    func judge(_ request: JudgedRequest, usage _: some LimitUsage) -> Judgement {
        let facts = request.facts + request.operations.flatMap(\.facts)
        let isNote =
            facts.contains { $0.name == "kind" && $0.value == .integer(1) }
            && request.client?.id == "myapp"
        let reasons = [Reason(.policyDenied, "only notes are signed", rule: "notes-only")]
        // The app is known: that it asks for the first time is no reason to ask. Any other danger
        // that is not named here turns the hub's answer into a question.
        let acknowledged = request.operations.map { _ in [Danger.newClient] }
        return Judgement(
            verdict: isNote ? .allow(reasons) : .deny(reasons), claims: [],
            acknowledged: acknowledged, policyHash: hash)
    }
}

@main
struct OneAdapter {
    static func main() async throws {
        let adapter = NIP155Adapter()
        let home = try Home.create(at: "/tmp/one-adapter-\(UInt64.random(in: 0 ... .max))")
        let passphrase = SecretBytes.random(count: 32)
        try Vault.create(in: home, passphrase: passphrase)
        try SQLiteLedger.create(in: home)
        let vault = try Vault.open(home, domains: DomainRegistry(adapter.domains))
        try vault.unlock(passphrase: passphrase)
        let key = try vault.add(
            name: "app", protocolID: ProtocolID("nostr"), algorithm: .bip340, address: "app",
            network: nil, secret: .random(count: 32))
        let hub = SigningHub(
            policy: NotesOnly(), keyStore: vault, ledger: try SQLiteLedger.open(home),
            approval: NoApproval(), environment: SystemEnvironment())
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D"
        let origin = Origin(channel: "app", provedUserID: nil, claimedClient: nil)
        let answer = await hub.answer(Frame(bytes: Array(url.utf8), origin: origin), with: adapter)
        guard case .message(let reply) = answer.reply, case .outcome(.done) = answer.ending else {
            throw HomeError.missing(path: "an answer of key \(key.name)")
        }
        print(String(decoding: reply, as: UTF8.self))
    }
}
