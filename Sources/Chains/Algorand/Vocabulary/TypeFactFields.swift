// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The fields of asset transfers, configurations and freezes.
    package static let assetFields = [
        FactField(
            "asset", .integer, boundsRefusals: true,
            note: "The id of the asset that is moved, frozen or configured; 0 for a new one."),
        FactField(
            "asset.amount", .integer, varies: .upTo, boundsRefusals: true,
            note: "The smallest units of the asset that are moved."
        ).inUnits(of: AssetFields(kind: "asset", identity: "asset")),
        FactField(
            "asset.source", .account, boundsRefusals: true,
            note: "The account from which a clawback takes units."),
        FactField(
            "asset.action", .text, boundsRefusals: true,
            note: "The action of acfg: create, reconfigure or destroy."),
        FactField(
            "asset.total", .integer, boundsRefusals: true,
            note: "The number of smallest units of a new asset."),
        FactField("asset.decimals", .integer, note: "The decimals of a new asset."),
        FactField(
            "asset.frozen_at_first", .bool,
            note: "True if holdings of a new asset begin frozen."),
        FactField("asset.name", .text, note: "The name of a new asset."),
        FactField("asset.unit", .text, note: "The unit name of a new asset."),
        FactField("asset.url", .text, note: "The URL of a new asset."),
        FactField("asset.metadata", .bytes, note: "The hash of the metadata of a new asset."),
        FactField(
            "asset.manager", .account, boundsRefusals: true,
            note: "The account that may reconfigure or destroy the asset from then on."),
        FactField(
            "asset.reserve", .account, boundsRefusals: true,
            note: "The account that has the units not in circulation from then on."),
        FactField(
            "asset.freeze", .account, boundsRefusals: true,
            note: "The account that may freeze units of the asset from then on."),
        FactField(
            "asset.clawback", .account, boundsRefusals: true,
            note: "The account that may take units of the asset from anyone from then on."),
        FactField(
            "frozen", .bool, boundsRefusals: true,
            note: "True if afrz freezes; false if afrz unfreezes."),
        FactField(
            "freeze.account", .account, boundsRefusals: true,
            note: "The account whose units are frozen or unfrozen."),
        FactField(
            "opt_in", .bool, boundsRefusals: true,
            note: "True if axfer or appl only accepts an asset or application."),
    ]

    /// The fields of application calls.
    package static let applicationFields = [
        FactField(
            "app_id", .integer, boundsRefusals: true,
            note: "The id of the application that is called; 0 for a new one."),
        FactField(
            "on_complete", .text, boundsRefusals: true,
            note: "The completion of the call: noop, optin, closeout, clear, update or delete."),
        FactField("app_args.count", .integer, note: "The number of arguments of the call."),
        FactField(
            "app_args.bytes", .integer, note: "The number of bytes of all arguments together."),
        FactField(
            "app_args.selector", .bytes, boundsRefusals: true,
            note: "The first argument, if it has 4 bytes: the method (ARC-4)."),
        FactField("app_args.hash", .bytes, note: "SHA-512/256 of the list of all arguments."),
        FactField(
            "app_arg.*", .bytes,
            note: "An argument by its position from 0, such as "
                + "\"app_arg.1\"."),
        FactField(
            "app_uint.*", .integer,
            note: "An argument as an integer, if it has 8 bytes."),
        FactField(
            "app.accounts", .account, isList: true, boundsRefusals: true,
            note: "The accounts that the call may use besides the sender."),
        FactField(
            "app.assets", .integer, isList: true, boundsRefusals: true,
            note: "The assets that the call may use."),
        FactField(
            "app.apps", .integer, isList: true, boundsRefusals: true,
            note: "The applications that the call may use besides the one that is called."),
        FactField("boxes.count", .integer, note: "The boxes that the call may use."),
        FactField(
            "boxes.names", .bytes, isList: true,
            note: "The names of the boxes that the call may use."),
        FactField(
            "programs.bytes", .integer,
            note: "The number of bytes of code that the call "
                + "installs."),
        FactField(
            "approval.hash", .bytes, note: "The hash by which nodes name the approval program."),
        FactField(
            "clear.hash", .bytes, note: "The hash by which nodes name the clear state program."),
    ]

    /// The fields of key registrations.
    package static let participationFields = [
        FactField(
            "participation", .text, boundsRefusals: true,
            note: "The state of the account after keyreg: online, offline or nonparticipating."),
        FactField("vote.key", .bytes, note: "The key that votes for the account."),
        FactField("vote.selection_key", .bytes, note: "The selection key of the account."),
        FactField("vote.proof_key", .bytes, note: "The state proof key of the account."),
        FactField("vote.first", .integer, note: "The first round in which these keys vote."),
        FactField("vote.last", .integer, note: "The last round in which these keys vote."),
        FactField(
            "vote.rounds", .integer, note: "The number of rounds between first and last vote."),
        FactField("vote.dilution", .integer, note: "The dilution of the vote keys."),
    ]
}
