// SPDX-License-Identifier: Apache-2.0

/// Policy files to begin with.
public enum PolicyTemplate {
    /// Allows nothing by itself; examples begin with `#` and no space.
    public static let askEverything = """
        # Countersign policy: what may be signed without asking, and what never.
        #
        # The strongest matching rule decides: deny, then ask, then allow. The order of rules
        # never matters. Where no rule covers a request, the default decides.

        version = 1
        default = "ask"

        # Lines that begin with "#" and no space are examples: take the "#" away to use them.

        # Lists to be used in rules, such as receiver = "@treasury". "@own" is built in: it
        # stands for the accounts held here.
        #[set.treasury]
        #accounts = ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"]

        # nostr: one client may publish notes and reactions, 60 in an hour. Further ones are
        # asked about.
        #[[rule]]
        #id = "notes"
        #effect = "allow"
        #protocol = "nostr"
        #operation = "sign_event"
        #key = "alice"
        #client = "https://notes.example"
        #kind = [1, 7]
        #tag_count = { max = 50 }
        #limit = [{ count = 60, per = "1h" }]
        #on_exceed = "ask"

        # near: one site may ask for a login signature.
        #[[rule]]
        #id = "near-login"
        #effect = "allow"
        #protocol = "near"
        #recipient = "app.example.near"
        #message.bytes = { max = 1024 }
        #nonce.reused = false
        #limit = [{ count = 10, per = "1h" }]

        # algorand: small payments to known accounts.
        #[[rule]]
        #id = "pay-treasury"
        #effect = "allow"
        #protocol = "algorand"
        #type = "pay"
        #receiver = "@treasury"
        #amount = { max = "5 ALGO" }
        #fee = { max = "0.01 ALGO" }
        #limit = [{ count = 4, per = "1d" }]

        # algorand: an account is never handed over to a key that is not held here.
        #[[rule]]
        #id = "never-rekey-away"
        #effect = "deny"
        #protocol = "algorand"
        #operation = "sign_transactions"
        #danger = { has = "rekey" }
        #unless = { rekey_to = "@own" }

        """
}
