// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningVault
import Synchronization
import TestHome
import Testing

@testable import BuiltInProtocols

@Suite("Contacts in questions")
struct ContactQuestionTests {
    /// A home with a key of NEAR and one of Nostr, and a rule that allows every request.
    private final class Rig {
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        let folder = TemporaryFolder()
        let made: TemporaryHome
        let home: OpenHome
        let signer: LocalSigner

        /// With an approver, there are no rules.
        init(_ more: String = "", asking approval: (any Approval)? = nil) throws {
            made = try TemporaryHome(in: folder)
            try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
                .setSetting(ProviderID.setting, to: ProviderID.make())
            _ = try made.makeLedger()
            home = try OpenHome(at: folder.path, speaking: .builtIn)
            try home.makeKey(
                .near, name: "alice", account: "alice.near", passphrase: passphrase)
            try home.makeKey(.nostr, name: "app", passphrase: passphrase)
            let dangers = ["near": "\"offline_nonce\"", "nostr": "\"odd_time\""]
            let rules = dangers.sorted { $0.key < $1.key }.map { chain, danger in
                """
                [[rule]]
                id = "\(chain)"
                effect = "allow"
                protocol = "\(chain)"
                acknowledge = ["new_client", \(danger)\(more)]

                """
            }
            try home.attest(
                policy: "version = 1\ndefault = \"ask\"\n"
                    + (approval == nil ? rules.joined() : ""), passphrase: passphrase)
            signer = try LocalSigner(of: home, asking: approval ?? NoApproval())
            try signer.unlock(passphrase: passphrase)
        }

        func add(_ name: String, _ address: String, _ network: String? = nil) throws -> Contact {
            let contact = try Contact(
                name: name, address: try ContactAddress(address), network: network)
            try owner { vault in try vault.add([contact]) }
            return contact
        }

        func owner(_ body: (Vault) throws -> Void) throws {
            try OpenHome(at: folder.path, speaking: .builtIn).change(with: passphrase) { vault in
                try body(vault)
            }
        }

        func explain(_ text: String, over wire: String) throws -> Explanation {
            let frame = Frame(
                bytes: Array(text.utf8), peer: Peer(channel: "test", claim: "app.example"))
            return try signer.explain(frame, over: AdapterID(wire)).explanation
        }

        func transfer(
            to receiver: String, on network: String = "mainnet"
        ) throws -> Explanation {
            try explain(
                #"{"method":"signAndSendTransaction","params":{"network":"\#(network)","#
                    + #""signerId":"alice.near","receiverId":"\#(receiver)","actions":"#
                    + #"[{"type":"Transfer","params":{"deposit":"1"}}]}}"#, over: "nep413")
        }

        func note(_ tags: String, content: String = "hi") -> String {
            event(kind: 1, tags, content: content)
        }

        func event(kind: Int, _ tags: String, content: String = "") -> String {
            let event = #"{"kind":\#(kind),"content":"\#(content)","tags":[\#(tags)]}"#
            let digits = Array(Hex.encode(Array(event.utf8).span))
            let escaped = stride(from: 0, to: digits.count, by: 2).map { place in
                "%\(digits[place])\(digits[place + 1])"
            }.joined()
            return "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
                + "&x-error=myapp://no&event=\(escaped)"
        }
    }

    @Test("the name stands beside the whole address, on the contact's network only")
    func beside() throws {
        let rig = try Rig()
        _ = try rig.add("Acme", "acme.near")
        let named = try rig.transfer(to: "acme.near").summary.text
        #expect(named.contains("receiver") && named.contains("Acme (acme.near)"))
        #expect(try !rig.transfer(to: "acme.near", on: "testnet").summary.text.contains("Acme"))
        #expect(try !rig.transfer(to: "pay.acme.near").summary.text.contains("Acme"))
    }

    @Test("a lookalike is a danger that no rule covers unless it acknowledges it")
    func lookalike() throws {
        let rig = try Rig()
        #expect(try rig.transfer(to: "acrne.near").judgement?.verdict.name == "allow")
        _ = try rig.add("Acme", "acme.near")
        let asked = try rig.transfer(to: "acrne.near")
        #expect(asked.request.allDangers.contains(.lookalike))
        #expect(asked.judgement?.verdict.name == "ask")
        #expect(
            asked.summary.text.contains(
                "warning: acrne.near is not your contact Acme, whose address acme.near looks like"))
        #expect(!asked.summary.text.contains("Acme ("))
        #expect(try rig.transfer(to: "acme.near").judgement?.verdict.name == "allow")
        let brave = try Rig(", \"lookalike\"")
        _ = try brave.add("Acme", "acme.near")
        #expect(try brave.transfer(to: "acrne.near").judgement?.verdict.name == "allow")
    }

    @Test("every address that a person sees is compared, though a part cannot be read")
    func unreadableParts() throws {
        let rig = try Rig()
        let intents =
            #"{\"intents\":[{\"intent\":\"transfer\",\"receiver_id\":\"acrne.near\","#
            + #"\"tokens\":{\"nep141:usdt.near\":\"5\"}},{\"intent\":\"new_kind\"}]}"#
        let message = { (text: String, recipient: String) in
            #"{"method":"signMessage","params":{"message":"\#(text)","recipient":"\#(recipient)","#
                + #""nonce":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}}"#
        }
        let calls = { (calls: String) in
            #"{"method":"signAndSendTransaction","params":{"network":"mainnet","#
                + #""signerId":"alice.near","receiverId":"dao.sputnik-dao.near","#
                + #""actions":[\#(calls)]}}"#
        }
        let call = { (method: String, args: String) in
            #"{"type":"FunctionCall","params":{"methodName":"\#(method)","args":\#(args),"#
                + #""gas":"30000000000000","deposit":"1"}}"#
        }
        let transfer = call("ft_transfer", #"{"receiver_id":"acrne.near","amount":"1"}"#)
        let proposal =
            #"{"proposal":{"description":"d","kind":{"Transfer":{"token_id":"","#
            + #""receiver_id":"acrne.near","amount":"1"}}}}"#
        let requests = [
            message(intents, "intents.near"), message("log in", "log in at acrne.near"),
            calls(transfer), calls("\(transfer),\(call("ft_transfer", "{}"))"),
            calls(call("storage_deposit", #"{"account_id":"acrne.near"}"#)),
            calls(call("add_proposal", proposal)),
            calls(call("unknown", #"{"to":["acrne.near"]}"#)),
        ]
        let isFlagged = { (request: String) in
            try rig.explain(request, over: "nep413").request.allDangers.contains(.lookalike)
        }
        for request in requests { #expect(try !isFlagged(request), "\(request)") }
        _ = try rig.add("Acme", "acme.near")
        for request in requests {
            #expect(try isFlagged(request), "\(request)")
            let same = request.replacing("acrne.near", with: "acme.near")
            #expect(try !isFlagged(same), "\(same)")
            let text = try rig.explain(same, over: "nep413").summary.text
            #expect(text.contains("Acme (acme.near)") || !same.contains("mainnet"), "\(text)")
        }
    }

    @Test("keys in tags and texts of an event are compared, and get names")
    func eventKeys() throws {
        let rig = try Rig()
        _ = try rig.add("Acme", SampleAddress.npub)
        let ends = (SampleAddress.hex.prefix(4), SampleAddress.hex.suffix(4))
        let poisoned = "\(ends.0)\(String(repeating: "e", count: 56))\(ends.1)"
        let npub = PublicKeyText.npub(try Hex.decode(poisoned))
        let profile = try #require(
            NIP19.Profile(publicKey: try Hex.decode(poisoned), relays: [])
        ).text
        let notes = [
            rig.note(#"["zap","\#(poisoned)","wss://relay.example","1"]"#),
            rig.note(#"["a","30023:\#(poisoned):story"]"#), rig.note(#"["P","\#(poisoned)"]"#),
            rig.note("", content: "hi nostr:\(npub), hi"), rig.note("", content: "see \(profile)."),
        ]
        for note in notes {
            let found = try rig.explain(note, over: "nip155")
            #expect(found.request.allDangers.contains(.lookalike))
            #expect(found.summary.text.contains("is not your contact Acme"))
        }
        let named = try rig.explain(
            rig.note(#"["zap","\#(SampleAddress.hex)","wss://relay.example","1"]"#), over: "nip155")
        #expect(named.summary.text.contains("Acme (\(SampleAddress.npub))"))
        #expect(!named.request.allDangers.contains(.lookalike))
    }

    @Test("entries that a follow list keeps are compared, though they are not shown")
    func unchangedFollows() async throws {
        let rig = try Rig(asking: Yes())
        let ends = (SampleAddress.hex.prefix(4), SampleAddress.hex.suffix(4))
        let poisoned = "\(ends.0)\(String(repeating: "e", count: 56))\(ends.1)"
        let other = String(repeating: "a", count: 64)
        func list(_ keys: [String]) -> String {
            rig.event(kind: 3, keys.map { #"["p","\#($0)"]"# }.joined(separator: ","))
        }
        let peer = Peer(channel: "test", claim: "app.example")
        #expect(
            await rig.signer.answer(Frame(bytes: Array(list([poisoned]).utf8), peer: peer)).word
                == "done")
        _ = try rig.add("Acme", SampleAddress.npub)
        let next = try rig.explain(list([poisoned, other]), over: "nip155")
        #expect(next.summary.text.contains("1 entry is as before"))
        #expect(next.request.allDangers.contains(.lookalike))
        let named = try rig.explain(list([poisoned, SampleAddress.hex]), over: "nip155")
        #expect(named.summary.text.contains("Acme (\(SampleAddress.npub))"))
    }

    @Test("contacts that were read while the vault is locked are said to be unchecked")
    func unchecked() throws {
        let rig = try Rig()
        _ = try rig.add("Acme", "acme.near")
        let words = "not checked while the vault is locked"
        #expect(try !rig.transfer(to: "acme.near").summary.text.contains(words))
        rig.home.vault.lock()
        #expect(try rig.transfer(to: "acme.near").summary.text.contains(words))
        #expect(try rig.transfer(to: "acrne.near").summary.text.contains(words))
        #expect(try !rig.transfer(to: "other.near").summary.text.contains(words))
    }

    /// A person who changes the contacts before saying yes.
    private final class Changing: Approval {
        let act = Mutex<(@Sendable () throws -> Void)?>(nil)

        func decide(
            _ question: ApprovalQuestion
        ) async throws(ApprovalError) -> ApprovalAnswer {
            do { try act.withLock { $0 }?() } catch { throw .unavailable }
            return .approved(question.binding)
        }
    }

    @Test("a yes does not count if the contacts changed while the question waited")
    func changedMeanwhile() async throws {
        let person = Changing()
        let rig = try Rig(asking: person)
        let url = rig.note("")
        let frame = Frame(
            bytes: Array(url.utf8), peer: Peer(channel: "test", claim: "app.example"))
        let (path, text) = (rig.folder.path, "correct horse")
        person.act.withLock {
            $0 = {
                let contact = try Contact(name: "Acme", address: try ContactAddress("acme.near"))
                try OpenHome(at: path, speaking: .builtIn)
                    .change(with: SecretBytes(copying: text.utf8.span)) { vault in
                        try vault.add([contact])
                    }
            }
        }
        #expect(await rig.signer.answer(frame).word == "policy_changed")
        person.act.withLock { $0 = nil }
        #expect(await rig.signer.answer(frame).word == "done")
    }

    @Test("an agent that runs forgets a removed contact with the next request")
    func removed() async throws {
        let rig = try Rig()
        let contact = try rig.add("Acme", SampleAddress.npub)
        let ends = (SampleAddress.hex.prefix(4), SampleAddress.hex.suffix(4))
        let poisoned = "\(ends.0)\(String(repeating: "e", count: 56))\(ends.1)"
        let url = rig.note(#"["p","\#(poisoned)"]"#)
        let frame = Frame(
            bytes: Array(url.utf8), peer: Peer(channel: "test", claim: "app.example"))
        #expect(await rig.signer.answer(frame).word == "approval_unavailable")
        try rig.owner { vault in try vault.remove(contact) }
        #expect(await rig.signer.answer(frame).word == "done")
        #expect(try !rig.explain(url, over: "nip155").summary.text.contains("Acme"))
    }

    /// A person who says yes to everything, for ever.
    private final class Yes: Approval {
        let count = Mutex(0)

        func decide(
            _ question: ApprovalQuestion
        ) async throws(ApprovalError) -> ApprovalAnswer {
            count.withLock { $0 += 1 }
            return .approved(question.binding, remembering: Remembering(.always))
        }
    }

    @Test("no remembered yes covers a lookalike, whether given before the contact or for it")
    func remembered() async throws {
        let person = Yes()
        let rig = try Rig(asking: person)
        let ends = (SampleAddress.hex.prefix(4), SampleAddress.hex.suffix(4))
        let poisoned = "\(ends.0)\(String(repeating: "e", count: 56))\(ends.1)"
        func answer(_ key: String) async -> String {
            let url = rig.note(#"["p","\#(key)"]"#)
            let peer = Peer(channel: "test", claim: "app.example")
            return await rig.signer.answer(Frame(bytes: Array(url.utf8), peer: peer)).word
        }
        for _ in 1...2 {
            #expect(await answer(poisoned) == "done")
            #expect(person.count.withLock { $0 } == 1)
        }
        _ = try rig.add("Acme", SampleAddress.npub)
        for count in 2...3 {
            #expect(await answer(poisoned) == "done")
            #expect(person.count.withLock { $0 } == count)
        }
    }

    @Test("a contact that another program changed stops signing")
    func changed() async throws {
        let rig = try Rig()
        _ = try rig.add("Acme", "acme.near")
        let url = rig.note("")
        let frame = Frame(
            bytes: Array(url.utf8), peer: Peer(channel: "test", claim: "app.example"))
        #expect(await rig.signer.answer(frame).word == "done")
        try rig.made.editVault(
            "UPDATE settings SET value = replace(value, 'acme.near', 'evil.near')")
        #expect(await rig.signer.answer(frame).word != "done")
    }

    @Test("a contact that this version cannot read stops signing, and the home still opens")
    func unreadable() async throws {
        let rig = try Rig()
        try rig.owner { vault in try vault.setSetting("contact.new", to: "v2") }
        let frame = Frame(
            bytes: Array(rig.note("").utf8), peer: Peer(channel: "test", claim: "app.example"))
        #expect(await rig.signer.answer(frame).word == "unavailable")
        try rig.owner { vault in try vault.setSetting("contact.new", to: nil) }
        #expect(await rig.signer.answer(frame).word == "done")
    }

    @Test("words of a client are left as they are, and its contacts get a line of the hub")
    func clientWords() throws {
        let rig = try Rig()
        _ = try rig.add("Acme", SampleAddress.npub)
        let text = try rig.explain(
            rig.note(
                #"["p","\#(SampleAddress.hex)"]"#, content: "pay \(SampleAddress.npub) now"),
            over: "nip155"
        ).summary.text
        #expect(text.contains("contact") && text.contains("Acme (\(SampleAddress.npub))"))
        #expect(text.split(separator: "\n").count { $0.contains("Acme") } == 1)
        let unbroken = text.replacing("\n    | ", with: "")
        #expect(unbroken.contains("pay \(SampleAddress.npub) now"))
        #expect(unbroken.contains("p\", \"\(SampleAddress.hex)"))
    }

    @Test("a key that was named like a contact later takes its name")
    func keyNamed() throws {
        let rig = try Rig()
        _ = try rig.add("Acme", "acme.near")
        try OpenHome(at: rig.folder.path, speaking: .builtIn)
            .makeKey(.algorand, name: "acme", passphrase: rig.passphrase)
        #expect(try !rig.transfer(to: "acme.near").summary.text.contains("Acme"))
    }

    @Test("several contacts are stored together or not at all")
    func together() throws {
        let rig = try Rig()
        let new = try ["one.near", "two.near"].map { address in
            try Contact(name: String(address.prefix(3)), address: try ContactAddress(address))
        }
        #expect(throws: (any Error).self) {
            try rig.owner { vault in
                try vault.setSettings([
                    new[0].setting: new[0].settingText, "bad name": "x",
                ])
            }
        }
        #expect(try Contacts(in: rig.home.vault).list.isEmpty)
        try rig.owner { vault in try vault.add(new) }
        #expect(try Contacts(in: rig.home.vault).list == new)
    }
}
