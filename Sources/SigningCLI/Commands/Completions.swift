// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningStorage

extension CommandLineTool {
    static let completionCommands = [completionWords, completions]

    static let shells = ["bash", "zsh", "fish"]

    private static let completions = Command(
        name: "completions", options: [], operands: 1...1,
        operandOffers: [.fixed(shells)],
        summary: "write completions for bash, zsh or fish",
        usage: """
            usage: countersign completions SHELL

            Writes the completion script for SHELL: bash, zsh or fish. "make install" installs all
            three. The scripts call "countersign completions words", so they know your keys and
            grants.

            example: countersign completions bash > /etc/bash_completion.d/countersign
            """
    ) { invocation in
        let shell = try invocation.operand(0)
        let script: String
        switch shell {
        case "bash": script = bashCompletion
        case "zsh": script = zshCompletion
        case "fish": script = fishCompletion
        default:
            throw CLIError.usage("unknown SHELL", hint: "one of: \(shells.joined(separator: ", "))")
        }
        if invocation.console.isJSON {
            let value: JSON = ["shell": .string(shell), "script": .string(script)]
            invocation.console.put(value.write())
        } else {
            invocation.console.put(script)
        }
        return .done
    }

    private static let completionWords = Command(
        name: "completions words", options: [], operands: 1...Arguments.countMax,
        summary: "write completions for an unfinished command line",
        usage: """
            usage: countersign completions words -- WORD...

            Writes the possible completions for the last WORD of an unfinished command line, one on
            each line: commands, options, values, and names and ids in the home. It writes nothing
            if a file or free text is expected, or if there is no home. Needs no passphrase. It only
            offers names of letters, digits and . _ -

            example: countersign completions words -- key show ""
            """
    ) { invocation in
        let words = CompletionWords.candidates(
            for: invocation.arguments.operands, speaking: invocation.protocols
        ) { kind, home in
            (try? stored(kind, home, invocation)) ?? []
        }
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(words.map { .string($0) }).write())
        } else if !words.isEmpty {
            invocation.console.put(words.joined(separator: "\n"))
        }
        return .done
    }

    private static func stored(
        _ kind: OfferedValues.Names, _ home: String?, _ invocation: Invocation
    ) throws -> [String] {
        var path = try home ?? invocation.environment.home(invocation.arguments)
        // Shells pass words unexpanded.
        if path.hasPrefix("~/"), let user = invocation.environment["HOME"] {
            path = user + path.dropFirst()
        }
        let workspace = try Workspace(path: path, invocation.protocols)
        switch kind {
        case .keys(let protocolID):
            return try workspace.accounts().filter { $0.protocolID == protocolID }.map(\.name)
        case .addresses(let protocolID):
            return try workspace.accounts().filter { $0.protocolID == protocolID }
                .map(\.address)
        case .subjects(.question):
            return []
        case .subjects(.key):
            return try workspace.perform(OwnerActs.keyList, ()).map(\.name)
        case .subjects(.token):
            return try workspace.perform(OwnerActs.tokenList, false).map(\.name)
        case .subjects(.bunker):
            return try workspace.perform(OwnerActs.bunkerList, ()).map(\.name)
        case .subjects(.connection):
            return try workspace.perform(OwnerActs.connectionList, ())
                .map { Hex.encode($0.id.span) }
        case .subjects(.grant):
            return try workspace.openLedger().allGrants().filter { $0.revoked == nil }
                .map(\.sealed.grant.idText)
        }
    }

    // The scripts pass candidates to the shell as list elements and never evaluate them: no `eval`,
    // no `compgen -W`, no unquoted expansion. They run `countersign`, not the typed word.

    private static let bashCompletion = """
        _countersign() {
            mapfile -t COMPREPLY < <(countersign completions words -- \\
                "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            if [[ $COMP_WORDBREAKS == *=* ]]; then
                COMPREPLY=("${COMPREPLY[@]##*=}")
            fi
        }
        complete -o default -F _countersign countersign
        """

    private static let zshCompletion = """
        #compdef countersign
        local -a found
        found=("${(@f)$(countersign completions words -- \\
            "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
        if [[ -n "$found" ]]; then
            compadd -- "${found[@]}"
        else
            _files
        fi
        """

    private static let fishCompletion = """
        function __countersign_words
            set -l before (commandline -opc)
            set -e before[1]
            set -l typed (commandline -ct)
            set -l found (countersign completions words -- $before "$typed" 2>/dev/null)
            if set -q found[1]
                printf '%s\\n' $found
            else
                __fish_complete_path "$typed"
            end
        end
        complete -c countersign -f -a '(__countersign_words)'
        """
}
