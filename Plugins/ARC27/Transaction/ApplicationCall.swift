// SPDX-License-Identifier: Apache-2.0

/// `appl`: creates, calls, updates or deletes an application.
struct ApplicationCall: Hashable, Sendable {
    /// What happens to the application, or to the sender's part in it, when the call succeeds.
    enum OnCompletion: UInt64, CaseIterable {
        case noOp, optIn, closeOut, clearState, update, delete

        /// The name as indexers and policies write it.
        var name: String {
            switch self {
            case .noOp: "noop"
            case .optIn: "optin"
            case .closeOut: "closeout"
            case .clearState: "clear"
            case .update: "update"
            case .delete: "delete"
            }
        }
    }

    /// How many values an application keeps.
    struct StateSchema: Hashable, Sendable {
        var integers: UInt64
        var byteSlices: UInt64
    }

    /// A box that the call may use.
    struct Box: Hashable, Sendable {
        /// The place of its application among those listed, from 1; 0 is the one called.
        var appIndex: UInt64
        var name: [UInt8]
    }

    /// The application; 0 for one that is created.
    var app: UInt64
    var onCompletion: OnCompletion
    var arguments: [[UInt8]]
    var accounts: [[UInt8]]
    var assets: [UInt64]
    var apps: [UInt64]
    var boxes: [Box]
    /// What the call may use, in one list instead of the four before.
    var access: [ResourceReference]
    var localSchema: StateSchema?
    var globalSchema: StateSchema?
    var approvalProgram: [UInt8]
    var clearProgram: [UInt8]
    var extraPages: UInt64
    /// The version from which on the application must not be called; 0 for any.
    var rejectVersion: UInt64

    /// Bytes of all arguments together that any network takes.
    static let argumentBytesMax = 16_384
    static let accessCountMax = 16
    static let extraPagesMax: UInt64 = 7
    /// Bytes of both programs together: eight pages.
    static let programBytesMax = 16_384
    static let boxNameCountMax = 64
}

extension ApplicationCall {
    /// Accounts that the call may use besides the sender, however they are listed.
    var usedAccounts: [[UInt8]] {
        accounts
            + access.compactMap { reference in
                if case .account(let key) = reference { key } else { nil }
            }
    }

    /// Assets that the call may use, however they are listed.
    var usedAssets: [UInt64] {
        assets
            + access.compactMap { reference in
                if case .asset(let id) = reference { id } else { nil }
            }
    }

    /// Applications that the call may use besides the one called, however they are listed.
    var usedApps: [UInt64] {
        apps
            + access.compactMap { reference in
                if case .app(let id) = reference { id } else { nil }
            }
    }

    /// Boxes that the call may use with their application; 0 is the one called.
    var usedBoxes: [(app: UInt64, name: [UInt8])] {
        boxes.map { box in (box.appIndex == 0 ? 0 : apps[Int(box.appIndex - 1)], box.name) }
            + access.compactMap { reference in
                switch reference {
                case .box(let index, let name): (access.app(at: index), name)
                case .empty: (0, [])
                default: nil
                }
            }
    }
}

extension [ResourceReference] {
    /// The application at a place from 1; 0 is the one called.
    func app(at index: UInt64) -> UInt64 {
        guard index > 0, case .app(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// The asset at a place from 1.
    func asset(at index: UInt64) -> UInt64 {
        guard index > 0, case .asset(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// The account at a place from 1; nil is the sender.
    func account(at index: UInt64) -> [UInt8]? {
        guard index > 0, case .account(let key) = self[Int(index - 1)] else { return nil }
        return key
    }
}
