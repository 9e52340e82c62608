// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The fields of asset transfers, configurations and freezes.
    package static let assetFields = [
        FactField(
            "asset", .integer, boundsRefusals: true,
            note: "The id of the asset moved, frozen or configured; 0 for one that is created."),
        FactField(
            "asset.amount", .integer, varies: .upTo, boundsRefusals: true,
            note: "Smallest units of the asset moved."),
        FactField(
            "asset.source", .account, boundsRefusals: true, note: "Whose units a clawback takes."),
        FactField(
            "asset.action", .text, boundsRefusals: true,
            note: "What acfg does: create, reconfigure or destroy."),
        FactField(
            "asset.total", .integer, boundsRefusals: true,
            note: "Smallest units that exist of an asset that is created."),
        FactField("asset.decimals", .integer, note: "Decimals of an asset that is created."),
        FactField(
            "asset.frozen_at_first", .bool,
            note: "Whether holdings of an asset that is created begin frozen."),
        FactField("asset.name", .text, note: "The name that the asset gets."),
        FactField("asset.unit", .text, note: "The name of its unit."),
        FactField("asset.url", .text, note: "Where more about it stands."),
        FactField("asset.metadata", .bytes, note: "The hash of what stands there."),
        FactField(
            "asset.manager", .account, boundsRefusals: true,
            note: "Who may reconfigure or destroy the asset from then on."),
        FactField(
            "asset.reserve", .account, boundsRefusals: true,
            note: "Who holds what is not in circulation from then on."),
        FactField(
            "asset.freeze", .account, boundsRefusals: true,
            note: "Who may freeze units of the asset from then on."),
        FactField(
            "asset.clawback", .account, boundsRefusals: true,
            note: "Who may take units of the asset from anybody from then on."),
        FactField(
            "frozen", .bool, boundsRefusals: true, note: "Whether afrz freezes; false frees."),
        FactField(
            "freeze.account", .account, boundsRefusals: true,
            note: "Whose units are frozen or freed."),
        FactField(
            "opt_in", .bool, boundsRefusals: true,
            note: "Whether axfer or appl only accepts an asset or application."),
    ]

    /// The fields of application calls.
    package static let applicationFields = [
        FactField(
            "app_id", .integer, boundsRefusals: true,
            note: "The application called; 0 for one that is created."),
        FactField(
            "on_complete", .text, boundsRefusals: true,
            note: "What the call ends in: noop, optin, closeout, clear, update or delete."),
        FactField("app_args.count", .integer, note: "How many arguments the call has."),
        FactField("app_args.bytes", .integer, note: "Bytes of all arguments together."),
        FactField(
            "app_args.selector", .bytes, boundsRefusals: true,
            note: "The first argument where it has 4 bytes: the method by ARC-4."),
        FactField("app_args.hash", .bytes, note: "SHA-512/256 of the list of all arguments."),
        FactField(
            "app_arg.*", .bytes, note: "An argument by its place from 0, as \"app_arg.1\"."),
        FactField(
            "app_uint.*", .integer,
            note: "The same as an integer, where it has the 8 bytes of one."),
        FactField(
            "app.accounts", .account, isList: true, boundsRefusals: true,
            note: "Accounts the call may use besides the sender."),
        FactField(
            "app.assets", .integer, isList: true, boundsRefusals: true,
            note: "Assets the call may use."),
        FactField(
            "app.apps", .integer, isList: true, boundsRefusals: true,
            note: "Applications the call may use besides the one called."),
        FactField("boxes.count", .integer, note: "Boxes the call may use."),
        FactField("boxes.names", .bytes, isList: true, note: "Their names."),
        FactField("programs.bytes", .integer, note: "Bytes of code that the call installs."),
        FactField(
            "approval.hash", .bytes, note: "The hash by which nodes name its approval program."),
        FactField("clear.hash", .bytes, note: "The same of its clear state program."),
    ]

    /// The fields of key registrations.
    package static let participationFields = [
        FactField(
            "participation", .text, boundsRefusals: true,
            note: "What keyreg makes of the account: online, offline or nonparticipating."),
        FactField("vote.key", .bytes, note: "The key that votes for the account."),
        FactField("vote.selection_key", .bytes, note: "The key by which it is selected."),
        FactField("vote.proof_key", .bytes, note: "The key of its state proofs."),
        FactField("vote.first", .integer, note: "The first round these keys vote in."),
        FactField("vote.last", .integer, note: "The last round these keys vote in."),
        FactField("vote.rounds", .integer, note: "Rounds between first and last vote."),
        FactField("vote.dilution", .integer, note: "Their dilution."),
    ]
}
