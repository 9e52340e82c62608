// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningStorage

extension CommandLineTool {
    static let hubCompare = Command(
        name: "hub compare", options: [], operands: 0...1,
        summary: "compare what two hubs have seen of the log",
        usage: """
            usage: countersign hub compare [FILE|LINE]

            Compares what two hubs have seen of the shared log. Without an operand the command takes
            in new entries and prints one line, signed by this hub, that says up to where it knows
            the log. Bring that line to another hub by a way other than the database, and give it
            there in quotes, in a file, or as - on standard input. Exit status 0 if both saw the
            same log, as far as the one that is behind knows it. Otherwise exit status 1, and this
            hub signs nothing until the logs are the same or the other hub was retired. Needs no
            passphrase. To a hub that ssh reaches: ssh office-2 countersign hub compare |
            countersign hub compare -

            example: countersign hub compare office-2.line
            """
    ) { invocation in
        let line = try invocation.arguments.operands.first.map { source in
            try HubLine.read(source)
        }
        let workspace = try invocation.workspace(toWrite: true)
        let ledger = try workspace.sharedLedger()
        // An unreachable log must not prevent a comparison.
        if let problem = try workspace.takeIn(ledger).problem {
            invocation.console.warn(
                problem.message, hint: problem.hint ?? "this is the state that this home saw last")
        }
        guard let sharing = try workspace.sharing(ledger) else { return .failed }
        guard let line else {
            try putLine(of: sharing, ledger, invocation.console)
            return .done
        }
        let heard = try workspace.open.compare(ledger, with: line)
        if invocation.console.isJSON {
            invocation.console.put(heard.json.write())
        } else if heard.isConfirmed {
            let end = sharing.place.sequence
            invocation.console.put("\(heard.text); this hub knows it up to \(end)")
        }
        guard let problem = try workspace.contradiction(ledger) else { return .done }
        if invocation.console.isJSON { return .failed }
        throw problem
    }

    private static func putLine(
        of sharing: RecordSharing, _ ledger: SQLiteLedger, _ console: Console
    ) throws {
        let line = try ledger.hubStatement()
        guard console.isJSON else { return console.put(line) }
        let json: JSON = [
            "hub": .string(sharing.hub.name), "number": .integer(Int64(sharing.hub.number)),
            "sequence": .integer(sharing.place.sequence),
            "hash": .string(Hex.encode(sharing.place.hash.span)), "line": .string(line),
        ]
        console.put(json.write())
    }
}

/// The signed line of another hub.
enum HubLine {
    /// Reads the line from the operand or from a file.
    static func read(_ source: String) throws -> String {
        if source.contains(" ") && source.hasPrefix("countersign-hub-") { return source }
        let bytes = try Source.read(source)
        // Programs that print or send a line add a line end.
        let text = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
        return String(decoding: text.last == 0x0D ? text.dropLast() : text, as: UTF8.self)
    }
}

extension Workspace {
    /// The reason that signing is blocked after a comparison; nil if all compared hubs agree.
    func contradiction(_ ledger: SQLiteLedger) throws -> CLIError? {
        let heard = try ledger.comparedHubs()
        return OpenHome.contradiction(in: heard).map { CLIError($0) }
    }
}

extension ComparedHub {
    /// The result of a comparison without a contradiction.
    var text: String { "hub \(name) saw the same log, up to \(place.sequence)" }

    /// The result as JSON.
    var json: JSON {
        [
            "hub": .string(name), "number": .integer(Int64(hub)),
            "sequence": .integer(place.sequence), "heard": .string(time.utcText),
            "result": .string(isConfirmed ? "same" : isContradicted ? "two_histories" : "lacking"),
        ]
    }
}
