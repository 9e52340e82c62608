// SPDX-License-Identifier: Apache-2.0

/// The commands that begin with one word, and the texts about them as a whole.
struct Topic {
    /// A heading of the overview with its topics.
    struct Section {
        let heading: String
        let topics: [Topic]
    }

    /// The first word of the commands.
    let word: String
    /// The line about the topic in its own help.
    let summary: String
    /// The text in the overview; nil if the line of another topic names this one.
    let line: String?
    /// The commands in the order in which help lists them.
    let commands: [Command]

    /// Creates a topic; `others` names a topic beside it, in the same line of the overview.
    init(_ word: String, _ summary: String, others: String? = nil, _ commands: [Command]) {
        self.word = word
        self.summary = summary
        line = others.map { "\(summary) (\($0))" } ?? summary
        self.commands = commands
    }

    /// Creates a topic that the line of another topic names in the overview.
    init(beside word: String, _ summary: String, _ commands: [Command]) {
        self.word = word
        self.summary = summary
        line = nil
        self.commands = commands
    }

    /// Creates a topic of one command, which has its texts.
    init(_ command: Command, others: String? = nil) {
        self.init(command.name, command.summary, others: others, [command])
    }

    /// Creates a topic of one command that the line of another topic names.
    init(beside command: Command) {
        self.init(beside: command.name, command.summary, [command])
    }
}

extension Topic {
    /// All topics in the order of the overview.
    static let sections = [
        Section(heading: "home", topics: homeTopics),
        Section(heading: "answer", topics: answerTopics),
        Section(heading: "decide", topics: decisionTopics),
        Section(
            heading: "look back",
            topics: [
                Topic(
                    "audit", "read the record of requests, decisions and signatures",
                    CommandLineTool.auditCommands),
                Topic(
                    beside: "receipt", "check a receipt of \"audit receipt\", without a home",
                    [CommandLineTool.receiptVerify]),
            ]),
        Section(
            heading: "networks",
            topics: [
                Topic(
                    "near", "sign messages, send, call contracts, connect clients",
                    CommandLineTool.nearCommands),
                Topic(
                    "algorand", "send, sign, set up clients",
                    others: "abi, nostr, network: too",
                    CommandLineTool.algorandCommands),
                Topic(
                    beside: "network", "add LocalNet and others besides mainnet and testnet",
                    CommandLineTool.networkCommands),
                Topic(
                    beside: "abi", "name the methods of Algorand apps in questions",
                    CommandLineTool.abiCommands),
                Topic(
                    beside: "nostr", "sign notes, events and logins, set up clients",
                    CommandLineTool.nostrCommands),
            ]),
        Section(
            heading: "shell",
            topics: [
                Topic(
                    "completions", "write completions for bash, zsh or fish",
                    CommandLineTool.completionCommands)
            ]),
    ]

    private static let homeTopics = [
        Topic(CommandLineTool.setUp, others: "init: the home"),
        Topic(beside: CommandLineTool.initialise),
        Topic("key", "make, import, show and export keys", CommandLineTool.keyCommands),
        Topic(CommandLineTool.passphraseChange),
        Topic(
            "backup", "write the home to one sealed file, and restore it",
            CommandLineTool.backupCommands),
        Topic(
            "ledger", "share the record with other machines", others: "hub: manage them",
            CommandLineTool.ledgerCommands),
        Topic(
            beside: "hub", "manage the machines that share the record",
            CommandLineTool.hubCommands),
        Topic(CommandLineTool.doctor, others: "repair: fix it"),
        Topic(beside: CommandLineTool.repair),
    ]

    private static let answerTopics = [
        Topic(CommandLineTool.handle),
        Topic(CommandLineTool.openCallback),
        Topic(
            "agent", "answer programs, unlocked once", others: "mcp: for AI assistants",
            CommandLineTool.agentCommands),
        Topic(
            "bunker", "answer remote Nostr clients over relays (NIP-46)",
            CommandLineTool.bunkerCommands),
        Topic(
            "liquid", "log in and answer pages over Liquid Auth, with passkeys",
            CommandLineTool.liquidCommands),
        Topic(beside: CommandLineTool.mcp),
        Topic(
            "browser", "answer pages in a browser through an extension",
            CommandLineTool.browserCommands),
        Topic(CommandLineTool.verify),
    ]

    private static let decisionTopics = [
        Topic(
            "inbox", "answer waiting questions", others: "approver: for several people",
            CommandLineTool.inboxCommands),
        Topic(
            beside: "approver", "approve requests for several people, with your own key",
            CommandLineTool.approverCommands),
        Topic(
            "policy", "write, explain and test the rules, and put them in force",
            CommandLineTool.policyCommands),
        Topic(
            "grant", "list and revoke remembered answers", others: "contact: names",
            CommandLineTool.grantCommands),
        Topic(
            beside: "contact", "name accounts of other people in questions",
            CommandLineTool.contactCommands),
        Topic(CommandLineTool.freeze, others: "thaw: allow it again"),
        Topic(beside: CommandLineTool.thaw),
    ]
}
