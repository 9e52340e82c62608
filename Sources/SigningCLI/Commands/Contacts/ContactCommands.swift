// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Glibc
import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let contactCommands = [contactAdd, contactList, contactRemove, contactImport]

    private static let contactAdd = Command(
        name: "contact add",
        options: [
            Option(name: "--network", value: "NETWORK", offers: .networks),
            Option(name: "--note", value: "TEXT"),
        ], operands: 2...2,
        summary: "name an account of another person",
        usage: """
            usage: countersign contact add [--network NETWORK] [--note TEXT] NAME ADDRESS

            Adds a contact, after the passphrase. From then on questions show NAME beside ADDRESS,
            and a request with an address that looks like ADDRESS has the danger "lookalike".
            ADDRESS is an npub, a NEAR account or an Algorand address. 64 hexadecimal digits need
            nostr: or near: before them.

            --network shows the name on one network only. An account such as alice.near has its own
            network; other addresses are keys, the same on every network.

            example: countersign contact add --note "the bakery" Acme acme.near
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let contact = try Contact(
            name: try invocation.operand(0), address: try ContactAddress(invocation.operand(1)),
            network: invocation.arguments.value("--network"),
            note: invocation.arguments.value("--note") ?? "")
        var contacts = try Contacts(in: workspace.vault)
        try contacts.add(contact, beside: try workspace.accounts())
        try store([contact], among: contacts, workspace, invocation)
        if invocation.console.isQuiet, !invocation.console.isJSON {
            invocation.console.put(contact.name)
        }
        invocation.console.done(["added": contact.json], "added: \(contact.row)")
        return .done
    }

    private static let contactImport = Command(
        name: "contact import", options: [], operands: 1...1,
        summary: "add the contacts of a file",
        usage: """
            usage: countersign contact import FILE

            Adds each contact of FILE, after the passphrase, or none of them. FILE (- is standard
            input) has a line for each: name, address, network and note, with tabs between them.
            Network and note may be empty or missing. Lines that begin with # are comments. FILE is
            read once, and its contacts are listed before the passphrase is asked for.

            example: countersign contact import people.tsv
            """
    ) { invocation in
        // A pipe may wait long for its writer, so the home is locked after the file was read.
        let file = try contents(of: try invocation.operand(0))
        let workspace = try invocation.workspace(toChange: true)
        var contacts = try Contacts(in: workspace.vault)
        let new = try ContactsFile.read(file, among: contacts, beside: try workspace.accounts())
        for contact in new {
            invocation.console.note("to add: \(contact.row)")
            try contacts.add(contact, beside: [])
        }
        try store(new, among: contacts, workspace, invocation)
        if invocation.console.isQuiet, !invocation.console.isJSON {
            for contact in new { invocation.console.put(contact.name) }
        }
        invocation.console.done(
            ["added": .array(new.map(\.json))],
            "added: \(new.count) contact\(new.count == 1 ? "" : "s")")
        return .done
    }

    /// Reads a file or standard input; URLs are no files.
    private static func contents(of path: String) throws -> [UInt8] {
        if path == "-" { return try Source.read(path) }
        guard let file = Descriptor(opening: path, O_RDONLY) else {
            let reason = unsafe String(cString: strerror(errno))
            throw CLIError(
                "\"\(VisibleText.quotable(path))\" cannot be opened: \(reason)",
                hint: "give a file, or - for standard input")
        }
        return try Source.readAll(file.number, name: "\"\(VisibleText.quotable(path))\"")
    }

    /// Warns of lookalikes among the contacts, then stores the new ones after the passphrase.
    private static func store(
        _ new: [Contact], among contacts: Contacts, _ workspace: Workspace,
        _ invocation: Invocation
    ) throws {
        for (contact, other) in contacts.likenesses(of: new) {
            invocation.console.warn(
                "the address of \(contact.name) looks like that of your contact \(other.name), "
                    + other.address.shown,
                hint: "if it should be the same address, stop here and compare both")
        }
        let passphrase = try invocation.passphrase().read(
            to: new.count == 1 ? "add the contact" : "add \(new.count) contacts")
        try workspace.change(with: passphrase) { vault in try vault.add(new) }
    }

    private static let contactList = Command(
        name: "contact list", options: [], operands: 0...0,
        summary: "list the contacts",
        usage: """
            usage: countersign contact list

            Lists the contacts: name, chain, network, address and note. --quiet lists the names.
            The list is read without the passphrase. If another program changed it, the home
            cannot be unlocked.

            example: countersign contact list --json
            """
    ) { invocation in
        let list = try Contacts(in: try invocation.workspace().vault).list
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(list.map(\.json)).write())
            return .done
        }
        for contact in list {
            if invocation.console.isQuiet {
                invocation.console.put(contact.name)
            } else {
                invocation.console.put(rows: contact.row, indent: 4)
            }
        }
        invocation.console.note(
            list.isEmpty ? "there is no contact" : "the list is not checked without the passphrase")
        return .done
    }

    private static let contactRemove = Command(
        name: "contact remove", options: [], operands: 1...1,
        summary: "remove a contact",
        usage: """
            usage: countersign contact remove NAME

            Removes a contact, after the passphrase. Questions no longer show the name, and
            addresses that look like its address no longer raise the danger "lookalike".

            example: countersign contact remove Acme
            """
    ) { invocation in
        let name = try invocation.operand(0)
        let workspace = try invocation.workspace(toChange: true)
        let list = try Contacts(in: workspace.vault).list
        guard let contact = list.first(where: { $0.name == name }) else {
            throw CLIError(
                "unknown contact \"\(VisibleText.quotable(name))\"",
                hint: Suggestion.closest(to: name, among: list.map(\.name)).map {
                    "did you mean \"\($0)\"?"
                } ?? "see \"countersign contact list\"")
        }
        let passphrase = try invocation.passphrase().read(to: "remove the contact \"\(name)\"")
        try workspace.change(with: passphrase) { vault in try vault.remove(contact) }
        if invocation.console.isQuiet, !invocation.console.isJSON {
            invocation.console.put(contact.name)
        }
        invocation.console.done(["removed": .string(name)], "removed: \(name)")
        return .done
    }
}

extension Contact {
    /// The contact as JSON.
    var json: JSON {
        [
            "name": .string(name), "protocol": .string(address.protocolID.name),
            "network": network.map { .string($0) } ?? .null, "address": .string(address.shown),
            "note": .string(note),
        ]
    }

    /// The contact in one line; a note is the last part, as it may be in any script.
    var row: String {
        let place = network.map { "\(address.protocolID) \($0)" } ?? address.protocolID.name
        return "\(name)  \(place)  \(address.shown)"
            + (note.isEmpty ? "" : "  \(VisibleText.escaped(note))")
    }
}
