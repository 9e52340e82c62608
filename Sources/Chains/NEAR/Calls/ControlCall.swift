// SPDX-License-Identifier: Apache-2.0

extension FunctionCall {
    /// True if the call may change who acts for an account, a contract or an agent from then on.
    ///
    /// Known by the name of the method, because contracts of many kinds use these names.
    var changesControl: Bool { Self.controlMethods.contains(method) }

    private static let controlMethods: Set = [
        // NEAR Intents.
        "disable_auth_by_predecessor_id", "force_disable_auth_by_predecessor_ids",
        "force_enable_auth_by_predecessor_ids", "force_add_public_keys",
        "force_remove_public_keys",
        // Agents of NEAR Intents, in the contract that keeps their policies.
        "store_wallet_policy", "unfreeze_wallet",
        // Lockups and other contracts that add a key to their own account.
        "add_full_access_key", "attach_full_access_key",
        // Roles and owners of contracts by near-plugins.
        "acl_init_super_admin", "acl_add_super_admin", "acl_transfer_super_admin",
        "acl_revoke_super_admin", "acl_add_admin", "acl_revoke_admin", "acl_renounce_admin",
        "acl_grant_role", "acl_revoke_role", "acl_renounce_role", "owner_set",
        "up_stage_code", "up_deploy_code",
        // Owners in other contracts; members of the multisignature in near/core-contracts.
        "set_owner", "set_owner_id", "change_owner", "transfer_ownership", "propose_new_owner",
        "accept_ownership", "add_request", "add_request_and_confirm", "confirm",
    ]

    /// A note on what the words of a call do not show; nil if they show all that is known.
    ///
    /// `meaning` is what the call asks for.
    func note(_ meaning: CallMeaning?) -> String? {
        if addsContractKey { return "another key may act for the caller" }
        if changesControl { return "who may act for an account or a contract may change" }
        if burnsTokens { return "the caller's tokens there may be destroyed" }
        guard meaning == nil else { return nil }
        if TokenCall(self) != nil { return "tokens move, but how cannot be read here" }
        if asksDAO { return "what it asks the DAO for is not read here" }
        return args.isEmpty || json != nil ? nil : "what this does cannot be read here"
    }
}
