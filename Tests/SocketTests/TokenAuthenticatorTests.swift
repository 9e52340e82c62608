// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import Socket

/// An authenticator with two tokens of programs and one of a browser.
private let authenticator = TokenAuthenticator { text throws(AuthenticationRefusal) in
    switch text {
    case "countersign_bot": TokenClient(name: "bot", isBrowser: false)
    case "countersign_other": TokenClient(name: "other", isBrowser: false)
    case "countersign_fox": TokenClient(name: "fox", isBrowser: true, withheld: ["keys"])
    default: throw .token("token_unknown", "not known")
    }
}

@Suite("Authentication", .timeLimit(.minutes(10)))
struct TokenAuthenticatorTests {
    private static let frame = #"{"frame":"hello","wait_seconds":0}"#

    private func submit(
        _ served: Served, _ headers: [String], _ body: String = frame
    ) async throws -> (status: Int?, code: String?, id: String?) {
        let answer = try await served.ask("POST", "/v1/requests", body, headers: headers)
        return (answer?.status, member("code", of: answer), member("id", of: answer))
    }

    @Test(
        "a token that is not exactly one valid one is refused",
        arguments: [
            (["Authorization: Bearer countersign_no"], "token_unknown"),
            (["Authorization: Bearer COUNTERSIGN_BOT"], "token_unknown"),
            (["Authorization: Bearer Countersign_bot"], "token_unknown"),
            (["Authorization: Bearer  countersign_bot"], "token_malformed"),
            (["Authorization: Bearer countersign_bot x"], "token_malformed"),
            (["Authorization: Bearer"], "token_malformed"),
            (["Authorization: Basic countersign_bot"], "token_malformed"),
            (["Authorization: countersign_bot"], "token_malformed"),
            (
                ["Authorization: Bearer countersign_bot", "Authorization: Bearer countersign_bot"],
                "token_malformed"
            ),
            (
                ["Authorization: Bearer countersign_bot", "authorization: Bearer countersign_no"],
                "token_malformed"
            ),
        ])
    func refused(_ headers: [String], _ code: String) async throws {
        let served = try await Served(authenticator: authenticator)
        let answer = try await submit(served, headers)
        #expect(answer.status == 401 && answer.code == code)
        // A wrong token is refused before the body is parsed.
        #expect(try await submit(served, headers, "{").code == code)
        #expect(try await submit(served, []).status == 202)
        #expect(try await submit(served, ["Authorization: bearer countersign_bot"]).status == 202)
    }

    @Test("without tokens at all every one is refused")
    func none() async throws {
        let served = try await Served()
        let answer = try await submit(served, ["Authorization: Bearer countersign_bot"])
        #expect(answer.status == 401 && answer.code == "token_unknown")
    }

    @Test("a request with a token is visible to the client that sends it, and to no other")
    func found() async throws {
        let served = try await Served(authenticator: authenticator)
        let bot = ["Authorization: Bearer countersign_bot"]
        let id = try #require(try await submit(served, bot).id)
        let place = "/v1/requests/\(id)"
        for (headers, status) in [
            (bot, 200), ([], 404), (["Authorization: Bearer countersign_other"], 404),
            (["Authorization: Bearer countersign_no"], 401),
        ] {
            let seen = try await served.ask("GET", place, headers: headers)
            #expect(seen?.status == status)
            guard status != 200 else { continue }
            #expect(try await served.ask("DELETE", place, headers: headers)?.status == status)
        }
        let anonymous = try #require(try await submit(served, []).id)
        let own = try await served.ask("GET", "/v1/requests/\(anonymous)", headers: bot)
        #expect(own?.status == 404)
    }

    @Test("a key of one client is not another's, even with the same body")
    func keys() async throws {
        let served = try await Served(authenticator: authenticator)
        let key = "Idempotency-Key: retry-1"
        let bot = try await submit(served, [key, "Authorization: Bearer countersign_bot"])
        let other = try await submit(served, [key, "Authorization: Bearer countersign_other"])
        let nobody = try await submit(served, [key])
        let again = try await submit(served, [key, "Authorization: Bearer countersign_bot"])
        #expect(bot.id == again.id && Set([bot.id, other.id, nobody.id]).count == 3)
    }

    @Test(
        "only a browser names an origin, and it has to",
        arguments: [
            ([], #""origin":"https://app.example""#, 403, "browser_token_needed"),
            (["bot"], #""origin":"https://app.example""#, 403, "browser_token_needed"),
            ([], #""top_origin":"https://app.example""#, 400, "bad_origin"),
            (["fox"], #""wait_seconds":0"#, 422, "origin_needed"),
            (["fox"], #""origin":"https://app.example""#, 202, nil),
            (["fox"], #""origin":"http://localhost:3000","document":"A1""#, 202, nil),
            (
                ["fox"], #""origin":"https://app.example","top_origin":"https://top.example""#,
                202, nil
            ),
        ])
    func origins(
        _ token: [String], _ members: String, _ status: Int, _ code: String?
    ) async throws {
        let served = try await Served(authenticator: authenticator)
        let headers = token.map { "Authorization: Bearer countersign_\($0)" }
        let wait = members.contains("wait") ? "" : #","wait_seconds":0"#
        let answer = try await submit(served, headers, #"{"frame":"hello",\#(members)\#(wait)}"#)
        #expect(answer.status == status && answer.code == code)
    }

    @Test(
        "an origin is as a browser serialises it, to the byte",
        arguments: [
            "null", "", "file:///etc/passwd", "file://", "https://App.example",
            "https://app.example/", "https://app.example/x", "https://app.example:443",
            "https://me@app.example", "https://b\u{FC}cher.example", "https://app.example.",
            "https://app.example ", "ftp://app.example", "chrome-extension://abcdef",
            "https://app.example#x", "app.example", "https://", "https://app.example:0",
            "https://*.example", "data:text/html,x", "token:bot",
        ])
    func badOrigin(_ origin: String) async throws {
        let served = try await Served(authenticator: authenticator)
        for name in ["origin", "top_origin"] {
            let good = name == "origin" ? "" : #""origin":"https://app.example","#
            let body = #"{"frame":"hello",\#(good)"\#(name)":"\#(origin)"}"#
            let answer = try await submit(
                served, ["Authorization: Bearer countersign_fox"], body)
            #expect(answer.status == 400 && answer.code == "bad_origin", "\(name) \(origin)")
        }
    }

    @Test("no client can take the name of a token", arguments: ["token:bot", "TOKEN:bot"])
    func reserved(_ name: String) async throws {
        let served = try await Served(authenticator: authenticator)
        let body = #"{"frame":"hello","client":"\#(name)"}"#
        #expect(try await submit(served, [], body).code == "reserved_name")
    }
}
