// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Testing

@Suite("The program that keeps a channel", .timeLimit(.minutes(10)))
struct ChannelProcessTests {
    /// A program that speaks the protocol of Docs/datachannel-stdio.md and echoes messages.
    private static let script = #"""
        #!/bin/sh
        echo '{"type":"ready","version":1,"sandbox":{"files":null,"calls":null}}'
        while read -r line; do
            case $line in
            *'"type":"start"'*) echo '{"type":"offer","sdp":"ours"}' ;;
            *'"type":"candidate"'*)
                echo '{"type":"candidate","candidate":"late","sdpMLineIndex":0}' ;;
            *'"type":"answer"'*)
                echo '{"type":"state","connection":"connected"}'
                echo '{"type":"open","maxMessageSize":100}' ;;
            *'"binary":true'*) echo '{"type":"message","binary":true,"data":"AAEC"}' ;;
            *vanish*) exit 1 ;;
            *garbage*) echo 'garbage' ;;
            *'"type":"send"'*) echo '{"type":"message","text":"echo"}' ;;
            *'"type":"close"'*)
                echo '{"type":"closed","reason":"it was closed here"}'
                exit 0 ;;
            esac
        done
        """#

    private func opened() async throws -> ChannelProcess {
        let fake = try FakeProgram(Self.script)
        let process = try await fake.start()
        #expect(try await process.offer() == "ours")
        let candidate = ICECandidate(candidate: "theirs", sdpMid: nil, sdpMLineIndex: 0)
        await process.take(candidate)
        while process.candidates.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        await process.take(answer: "theirs")
        _ = try await process.opened()
        return process
    }

    @Test("messages go both ways, and it ends when it is closed")
    func messages() async throws {
        let process = try await opened()
        #expect(process.maxMessageSize == 100)
        try await process.send(ChannelMessage(Array("hello".utf8)))
        #expect(await process.next() == ChannelMessage(Array("echo".utf8)))
        try await process.send(ChannelMessage([0, 1], isText: false))
        #expect(await process.next() == ChannelMessage([0, 1, 2], isText: false))
        await #expect(throws: ChannelError.tooLarge(bytesMax: 100)) {
            try await process.send(ChannelMessage([UInt8](repeating: 0x61, count: 101)))
        }
        await process.close()
        #expect(process.ending == "it was closed here")
        #expect(await process.next() == nil)
        await #expect(throws: ChannelError.closed("it was closed here")) {
            try await process.send(ChannelMessage(Array("hello".utf8)))
        }
    }

    @Test("a program that ends ends the channel", arguments: ["vanish", "garbage"])
    func ends(word: String) async throws {
        let process = try await opened()
        try await process.send(ChannelMessage(Array(word.utf8)))
        #expect(await process.next() == nil)
        #expect(process.ending?.hasPrefix("the program that ke") == true)
        await process.close()
    }

    @Test("a program that reports an error instead of an offer")
    func error() async throws {
        let fake = try FakeProgram("#!/bin/sh\necho '{\"type\":\"error\",\"message\":\"why\"}'\n")
        let process = try await fake.start()
        let words = "the program that keeps the channel says: why"
        await #expect(throws: ChannelError.closed(words)) { try await process.offer() }
        await #expect(throws: ChannelError.closed(words)) { _ = try await process.opened() }
        await process.close()
    }

    @Test("one that does not end is ended")
    func stubborn() async throws {
        let fake = try FakeProgram("#!/bin/sh\ntrap '' TERM HUP\nexec sleep 1000\n")
        let process = try await fake.start()
        await process.close()
        #expect(process.ending == "it was closed here")
    }

    @Test("one that closes its output and runs on is ended")
    func quiet() async throws {
        let fake = try FakeProgram("#!/bin/sh\nexec sleep 1000 <&- >&- 2>&-\n")
        let process = try await fake.start()
        let words = "the program that kept the channel ended"
        await #expect(throws: ChannelError.closed(words)) { try await process.offer() }
        await process.close()
    }

    @Test("one that is missing, or that others could change, is not started")
    func places() throws {
        let fake = try FakeProgram(Self.script)
        let open = try FakeProgram(Self.script, mode: 0o777)
        let closed = try FakeProgram(Self.script, mode: 0o600)
        defer { withExtendedLifetime((fake, open, closed)) {} }
        for (path, words) in [
            (fake.path + "x", "is not installed"), (open.path, "others could change it"),
            (closed.path, "cannot be used"), ("program", "cannot be used"),
        ] {
            do throws(ChannelError) {
                _ = try ChannelProgram(named: path)
                Issue.record("\(path) is taken")
            } catch {
                guard case .missingProgram(let text, let hint) = error else { throw error }
                #expect(text.contains(words), "\(text)")
                #expect(!hint.isEmpty)
            }
        }
    }

    @Test("the program's answer to a version request")
    func check() async throws {
        let rows: [(String, ChannelProgram.Check)] = [
            ("echo ready", .ready(bounds: [])),
            ("echo ready; echo 64 threads; echo x", .ready(bounds: ["64 threads", "x"])),
            ("echo why; exit 69", .missing("why")), ("exit 1", .missing("it ends at once")),
        ]
        for (script, said) in rows {
            let fake = try FakeProgram("#!/bin/sh\n\(script)\n")
            #expect(try await fake.check() == said)
        }
    }
}
