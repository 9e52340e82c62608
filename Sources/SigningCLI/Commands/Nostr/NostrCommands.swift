// SPDX-License-Identifier: Apache-2.0

import Glibc
import Nostr
import SigningCodecs
import SigningCore
import SigningDigests
import SigningFiles
import SigningService

/// The commands that sign events.
extension CommandLineTool {
    static let nostrCommands = [nostrNote, nostrSign, nostrAuth, nostrUploadAuth, nostrClient]

    private static let nostrNote = Command(
        name: "nostr note", options: NostrCall.options, operands: 1...1,
        summary: "sign a short text note",
        usage: """
            usage: countersign nostr note [--account NAME] [--client NAME] TEXT

            Signs a short text note (kind 1) and prints the event as JSON, for a relay. With --quiet
            it prints the event's id alone. NAME is the key, if there are several. Nothing is sent.

            example: countersign nostr note "Good morning" > note.json
            """
    ) { invocation in
        let event: [JSONObject.Member] = [
            .init(name: "kind", value: .integer(1)),
            .text("content", try invocation.operand(0)), .tags([]),
        ]
        return try await NostrCall(event: event).run(invocation) { put($0, invocation) }
    }

    private static let nostrSign = Command(
        name: "nostr sign", options: NostrCall.options, operands: 1...1,
        summary: "sign the event in a file",
        usage: """
            usage: countersign nostr sign [--account NAME] [--client NAME] SOURCE

            Signs the event in SOURCE, a JSON file, or - for standard input: kind and content, and
            if wanted tags and created_at. Prints the whole event as JSON, with --quiet its id
            alone. NAME is the key, if there are several. Nothing is sent.

            example: countersign nostr sign --account alice profile.json
            """
    ) { invocation in
        let bytes = try Source.read(try invocation.operand(0))
        guard let event = (try? JSON.parse(bytes.span))?.object else {
            throw CLIError(
                "this is not an event: it is not a JSON object",
                hint: "write {\"kind\": 1, \"content\": \"text\"}")
        }
        guard event["pubkey"] == nil || !invocation.arguments.has("--account") else {
            throw CLIError.usage(
                "the event names its author, so it does not go with --account",
                hint: "leave out --account, or the member pubkey")
        }
        return try await NostrCall(event: event.members).run(invocation) { put($0, invocation) }
    }

    private static func put(_ signed: SignedEventReport, _ invocation: Invocation) -> String {
        invocation.console.isQuiet && !invocation.console.isJSON ? signed.id : signed.text
    }

    private static let nostrAuth = Command(
        name: "nostr auth",
        options: NostrCall.options + [
            Option(name: "--method", value: "METHOD"), Option(name: "--payload", value: "FILE"),
        ], operands: 1...1,
        summary: "make a login for one HTTP request",
        usage: """
            usage: countersign nostr auth [--method METHOD] [--payload FILE] [--account NAME]
                   [--client NAME] URL

            Signs a login for one HTTP request (NIP-98), and prints the header that carries it.
            Servers take it for about a minute. URL is the exact address of the request, with its
            query. METHOD is GET, or POST with --payload; FILE holds the body of the request. NAME
            is the key, if there are several. With curl: -H "$(countersign nostr auth URL)" URL.

            example: countersign nostr auth 'https://api.example/me?page=2'
            """
    ) { invocation in
        let url = try address(try invocation.operand(0))
        let file = invocation.arguments.value("--payload")
        let method = invocation.arguments.value("--method") ?? (file == nil ? "GET" : "POST")
        guard (1...16).contains(method.utf8.count),
            method.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(method))\" is not an HTTP method",
                hint: "write it in capital letters, such as GET or PUT")
        }
        var tags = [["u", url], ["method", method]]
        if let file { tags.append(["payload", try digest(ofFile: file)]) }
        return try await NostrCall(event: authorization(27_235, "", tags)).run(invocation) {
            header($0, Base64.encode($0.text.utf8.span), invocation)
        }
    }

    private static let nostrUploadAuth = Command(
        name: "nostr upload-auth",
        options: NostrCall.options + [
            Option(name: "--server", value: "DOMAIN"), Option(name: "--minutes", value: "N"),
        ], operands: 1...1,
        summary: "allow one upload to a Blossom server",
        usage: """
            usage: countersign nostr upload-auth [--server DOMAIN] [--minutes N] [--account NAME]
                   [--client NAME] FILE

            Signs the permission to upload FILE to a Blossom server (BUD-11), and prints the header
            that carries it. It holds for N minutes (10), for the contents of FILE alone, and with
            --server for the server DOMAIN alone. NAME is the key, if there are several.

            example: countersign nostr upload-auth --server blobs.example cat.png
            """
    ) { invocation in
        let minutes = try invocation.arguments.count("--minutes", default: 10, min: 1, max: 1_440)
        let end = SystemEnvironment().now().adding(seconds: 60 * Int64(minutes))
        var tags = [
            ["t", "upload"], ["expiration", String(end.seconds)],
            ["x", try digest(ofFile: try invocation.operand(0))],
        ]
        if let server = invocation.arguments.value("--server") {
            tags.append(["server", try domain(server)])
        }
        let event = authorization(24_242, "Upload a file", tags)
        return try await NostrCall(event: event).run(invocation) {
            let text = Base64.encode($0.text.utf8.span, alphabet: .url, padding: false)
            return header($0, text, invocation)
        }
    }

    private static func authorization(
        _ kind: Int64, _ content: String, _ tags: [[String]]
    ) -> [JSONObject.Member] {
        [.init(name: "kind", value: .integer(kind)), .text("content", content), .tags(tags)]
    }

    /// The header line, or with --json its value and the event.
    private static func header(
        _ signed: SignedEventReport, _ encoded: String, _ invocation: Invocation
    ) -> String {
        guard invocation.console.isJSON else { return "Authorization: Nostr \(encoded)" }
        let json: JSON = ["authorization": .string("Nostr \(encoded)"), "event": signed.json]
        return String(decoding: json.write(), as: UTF8.self)
    }
}

/// The values of an authorization.
extension CommandLineTool {
    /// The longest address that servers compare, in bytes.
    private static let urlBytesMax = 2_048

    private static func address(_ text: String) throws -> String {
        guard text.utf8.count <= urlBytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains("#"), let origin = try? WebOrigin(text), origin.isPage
        else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not the address of an HTTP request",
                hint: "write the whole address, such as https://api.example/me?page=2")
        }
        return text
    }

    private static func domain(_ text: String) throws -> String {
        guard let host = try? HostName(text[...]), host.text == text else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not a domain in lower case",
                hint: "write the domain alone, such as blobs.example")
        }
        return text
    }

    /// SHA-256 of a file's contents, in hex.
    private static func digest(ofFile path: String) throws -> String {
        func failure(_ verb: String) -> CLIError {
            let reason = unsafe String(cString: strerror(errno))
            return CLIError(
                "\"\(VisibleText.quotable(path))\" cannot be \(verb): \(reason)",
                hint: "give the path of a file")
        }
        guard let file = Descriptor(opening: path, O_RDONLY) else { throw failure("opened") }
        var state = SHA256State()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read") }
            guard count > 0 else { return Hex.encode(state.finish().span) }
            state.update(buffer.span.extracting(..<count))
        }
    }
}
