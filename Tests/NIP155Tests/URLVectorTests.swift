// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("The URLs of nip155.urls.json")
struct URLVectorTests {
    private var rig: Rig {
        Rig(configuration: NIP155Configuration(extraSchemes: ["nip55-ios-test"]))
    }

    @Test("Every seed example is read as written and answered in its shape")
    func seeds() throws {
        for row in try Vectors.rows("nip155.urls.json", "seed") {
            let url = try row.required("url")
            try check(row, try rig.decode(url))
            let answer = try ParsedAnswer(try rig.answer(url))
            guard let shape = row["callback_shape"]?.text else { continue }
            let expected = try ParsedAnswer(shape)
            #expect(answer.place == expected.place)
            #expect(answer.names.starts(with: expected.names))
        }
    }

    @Test("Every edge case is read, or refused with the code and the delivery it names")
    func edges() throws {
        var refused = 0
        for row in try Vectors.rows("nip155.urls.json", "edge") {
            let name = try row.required("name")
            let url = try row.required("url")
            let expect = try #require(row["expect"])
            guard expect["error"] != nil || expect["not_nip155"] != nil else {
                try check(row, try rig.decode(url))
                _ = try rig.answer(url)
                continue
            }
            refused += 1
            let refusal = try rig.refusal(url)
            #expect(
                refusal.code == expect["error"]?.text ?? "unsupported_method", "\(name)")
            if expect["delivered"]?.flag == false || expect["nip55_web"] != nil {
                #expect(refusal.reply == .silence(refusal.reason), "\(name)")
            }
            if let target = expect["delivered_to"]?.text {
                let expected = try ParsedAnswer(target)
                let answer = try ParsedAnswer(try rig.message(refusal.reply))
                #expect(answer.place == expected.place, "\(name)")
                #expect(answer.names == expected.names, "\(name)")
                #expect(answer["id"] == expected["id"], "\(name)")
                #expect(answer["code"] == expected["code"], "\(name)")
            }
        }
        #expect(refused == 13)
    }

    @Test("The Aegis form gets an error that names it at its x-error, by the rules for callbacks")
    func aegis() throws {
        let row = try #require(
            try Vectors.rows("nip155.urls.json", "edge").first {
                $0["name"]?.text?.hasPrefix("Aegis") == true
            })
        let url = try row.required("url")
        let answer = try ParsedAnswer(try rig.message(try rig.refusal(url).reply))
        #expect(answer.place == "app://x-callback-url/authError")
        #expect(answer["code"] == "unsupported_method")

        // The path decides before the query members of the NIP-55 web form.
        let both = try rig.refusal(url + "&callbackUrl=https://e.com/")
        #expect(try ParsedAnswer(try rig.message(both.reply)).place == answer.place)

        let elsewhere = url.split(separator: "&x-error").joined() + "&x-error=other://e"
        guard case .silence = try rig.refusal(elsewhere).reply else {
            Issue.record("an error was delivered to another client")
            return
        }
    }

    @Test("Every callback is built byte for byte")
    func building() throws {
        for row in try Vectors.rows("nip155.urls.json", "callback_building") {
            let configuration = NIP155Configuration()
            let callback = try Callback(
                try row.required("callback"), for: configuration.callbackRules)
            let parameters = try #require(row["params"]?.list).map { pair in
                let items = try #require(pair.list).compactMap(\.text)
                return AnswerParameter(items[0], items[1])
            }
            #expect(
                callback.url(adding: parameters, reserved: configuration.reservedNames)
                    == (try row.required("url")))
        }
    }

    /// Compares a decoded request with the expectations of a row; fails for an unknown expectation.
    private func check(_ row: JSON, _ request: NIP155Request) throws {
        let expect = try #require(row["expect"]?.object)
        for member in expect.members {
            let value = try #require(member.value.text)
            switch member.name {
            case "type": #expect(request.method == value)
            case "id": #expect(request.callbacks.id == value)
            case "x_success": #expect(request.callbacks.success?.text == value)
            case "x_error": #expect(request.callbacks.error?.text == value)
            case "x_source": #expect(request.client?.name == value)
            case "current_user":
                #expect(request.use.account.publicKey == (try Hex.decode(value)))
            case "returnType": try checkReturnType(value, request)
            case "plaintext": #expect(request.use.task.plaintext == value)
            case "permissions":
                #expect(request.permissions == (try NostrPermission.list(value)))
            case "event", "event_after_gunzip", "event_after_tolerant_second_decode":
                let template = try EventTemplate(value, now: Rig.now, limits: NostrLimits())
                #expect(request.use.task == .sign(template))
            default: Issue.record("unknown expectation \(member.name)")
            }
        }
    }

    private func checkReturnType(_ value: String, _ request: NIP155Request) throws {
        #expect(request.use.task.event != nil, "returnType of \(request.method)")
        #expect(request.returnsEvent == (value == "event"))
    }
}

extension NostrTask {
    var plaintext: String? {
        guard case .encrypt(_, let plaintext, _) = self else { return nil }
        return plaintext
    }
}
