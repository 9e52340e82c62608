// SPDX-License-Identifier: Apache-2.0

/// One line about everything there is.
extension Help {
    static let groups = [
        Group(
            heading: "home",
            topics: [
                ("init", "make a home: a vault, and a policy that asks"),
                ("key", "make, import, show and export keys"),
                ("passphrase", "change the passphrase"),
                ("backup", "keep the home in one sealed file, and restore it"),
                ("doctor", "look at everything; say what is wrong and how to mend it"),
                ("repair", "mend what the doctor found: vault, record, clock"),
            ]),
        Group(
            heading: "answer",
            topics: [
                ("handle", "answer one request: a URL, a file or - (standard input)"),
                ("open", "as handle, then open the callback URL"),
                ("agent", "answer your programs on a socket, unlocked once"),
                ("mcp", "let programs that act for people ask the agent"),
                ("verify", "check the signatures of what somebody signed"),
            ]),
        Group(
            heading: "decide",
            topics: [
                ("inbox", "see what waits at the agent, and answer it"),
                ("policy", "write, explain and test the rules, and put them in force"),
                ("grant", "see and take back the answers that you wanted remembered"),
                ("freeze", "stop all signing at once"),
                ("thaw", "allow signing again"),
            ]),
        Group(
            heading: "look back",
            topics: [("audit", "read the record of what was asked, decided and signed")]),
        Group(
            heading: "networks",
            topics: [
                ("near", "sign messages, send, call contracts, connect clients"),
                ("algorand", "sign messages, set what clients get, post again"),
            ]),
        Group(
            heading: "shell", topics: [("completions", "write completions for bash, zsh or fish")]),
    ]

    /// What each command of a topic does.
    static let summaries: [String: String] = [
        "key new": "make a key",
        "key import": "take in a secret from standard input or a file",
        "key watch": "keep a multisignature account by its members",
        "key export": "write the secret of a key",
        "key list": "list the keys",
        "key show": "show the public half of a key, as a QR code too",
        "key rename": "give a key another name",
        "key tag": "put a key into groups that rules can name",
        "key remove": "delete a key for ever",
        "backup create": "write the home into one sealed file",
        "backup verify": "rehearse a restore, compare the public keys",
        "backup restore": "make a home from a backup, where there is none",
        "inbox show": "one question, in the words of the terminal",
        "inbox answer": "answer one that was shown",
        "near sign-message": "sign a message (NEP-413)",
        "near verify-message": "check a message that somebody signed",
        "near connect": "connect a client to an account",
        "near disconnect": "end a client's sessions",
        "near sessions": "list which clients are connected",
        "near send": "send NEAR",
        "near call": "call a method of a contract",
        "near sign-transaction": "sign a transaction without sending it",
        "near send-transaction": "sign and send a transaction, or several",
        "near sign-delegate": "sign what a relayer sends and pays for",
        "near account": "show an account as the chain has it",
        "near unsent": "list what is signed and may not have arrived",
        "near resend": "ask what became of one of these, and send it again",
        "near forget": "take one of these off the list",
        "algorand sign-message": "sign a text behind the letters MX",
        "algorand sessions": "list which clients are connected",
        "algorand disconnect": "end a client's sessions",
        "algorand client": "set what one client gets",
        "algorand unsent": "list what is signed and may not have arrived",
        "algorand resend": "ask what became of one of these, and send it again",
        "algorand forget": "take one of these off the list",
        "policy check": "tell every mistake in a policy",
        "policy explain": "show what would become of a request, and why",
        "policy test": "run the tests that stand in a policy",
        "policy fmt": "lay a policy out the one way",
        "policy diff": "tell what a change allows or forbids",
        "policy replay": "judge recorded requests again by a changed policy",
        "policy suggest": "propose rules for what you approved",
        "policy limits": "show what is used and left of every limit",
        "policy attest": "put policy.toml in force",
        "policy use": "begin with a policy that comes with countersign",
        "policy canonical": "write a policy as the JSON its hash is made over",
        "policy schema": "write the JSON Schema of that",
        "grant list": "list the remembered answers",
        "grant show": "explain one of them",
        "grant revoke": "take remembered answers back",
        "grant export": "write remembered answers as rules",
        "audit list": "list the newest entries",
        "audit show": "show all that is on record of one request",
        "audit verify": "examine the whole record",
        "audit archive": "move old entries into a file of their own",
        "completions words": "write what may stand for the last of some words",
    ]
}
