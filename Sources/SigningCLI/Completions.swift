// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension CommandLineTool {
    static let completions = Command(
        name: "completions", options: [], operands: 1...1,
        usage: """
            usage: countersign completions SHELL

            Writes the completion script for bash, zsh or fish; "make install" installs all three.

            example: countersign completions bash > /etc/bash_completion.d/countersign
            """
    ) { invocation throws(CLIError) in
        let shell = try invocation.operand(0)
        let script: String
        switch shell {
        case "bash": script = bashCompletion
        case "zsh": script = "#compdef countersign\n" + zshCompletion
        case "fish": script = fishCompletion
        default: throw .usage("unknown shell", hint: "one of: bash, zsh, fish")
        }
        if invocation.console.isJSON {
            let value: JSON = ["shell": .string(shell), "script": .string(script)]
            invocation.console.put(value.write())
        } else {
            invocation.console.put(script)
        }
        return .done
    }

    /// The first words, and what may follow each.
    private static var words: [(first: String, rest: [String])] {
        commands.reduce(into: []) { table, command in
            let parts = command.name.split(separator: " ").map(String.init)
            let options = (command.options + Option.global).map(\.name)
            let rest = parts.count > 1 ? [parts[1]] + options : options
            if let index = table.firstIndex(where: { $0.first == parts[0] }) {
                table[index].rest += rest.filter { !table[index].rest.contains($0) }
            } else {
                table.append((parts[0], rest))
            }
        }
    }

    private static var bashCompletion: String {
        let cases = words.map { entry in
            "        \(entry.first)) words='\(entry.rest.joined(separator: " "))' ;;"
        }
        return """
            _countersign() {
                local words
                case "${COMP_WORDS[1]}" in
            \(cases.joined(separator: "\n"))
                    *) words='' ;;
                esac
                if [ "$COMP_CWORD" -eq 1 ]; then
                    words='\(words.map(\.first).joined(separator: " "))'
                fi
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
            }
            complete -o default -F _countersign countersign
            """
    }

    private static var zshCompletion: String {
        let cases = words.map { entry in
            "    \(entry.first)) compadd -- \(entry.rest.joined(separator: " ")); _files ;;"
        }
        return """
            if (( CURRENT == 2 )); then
                compadd -- \(words.map(\.first).joined(separator: " "))
                return
            fi
            case "$words[2]" in
            \(cases.joined(separator: "\n"))
            esac
            """
    }

    private static var fishCompletion: String {
        let firsts = words.map { entry in
            "complete -c countersign -n __fish_use_subcommand -a \(entry.first)"
        }
        let rests = words.flatMap { entry in
            entry.rest.map { word -> String in
                let what = word.hasPrefix("--") ? "-l \(word.dropFirst(2))" : "-a \(word)"
                let seen = "__fish_seen_subcommand_from \(entry.first)"
                return "complete -c countersign -n '\(seen)' \(what)"
            }
        }
        return (firsts + rests).joined(separator: "\n")
    }
}
