// SPDX-License-Identifier: Apache-2.0

/// `appl`: creates, calls, updates or deletes an application.
package struct ApplicationCall: Hashable, Sendable {
    /// What happens to the application, or to the sender's part in it, when the call succeeds.
    package enum OnCompletion: UInt64, CaseIterable {
        case noOp, optIn, closeOut, clearState, update, delete

        /// The name as indexers and policies write it.
        package var name: String {
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
    package struct StateSchema: Hashable, Sendable {
        package var integers: UInt64
        package var byteSlices: UInt64
    }

    /// A box that the call may use.
    package struct Box: Hashable, Sendable {
        /// The place of its application among those listed, from 1; 0 is the one called.
        package var appIndex: UInt64
        package var name: [UInt8]
    }

    /// The application; 0 for one that is created.
    package var app: UInt64
    package var onCompletion: OnCompletion
    package var arguments: [[UInt8]]
    package var accounts: [[UInt8]]
    package var assets: [UInt64]
    package var apps: [UInt64]
    package var boxes: [Box]
    /// What the call may use, in one list instead of the four before.
    package var access: [ResourceReference]
    package var localSchema: StateSchema?
    package var globalSchema: StateSchema?
    package var approvalProgram: [UInt8]
    package var clearProgram: [UInt8]
    package var extraPages: UInt64
    /// The version from which on the application must not be called; 0 for any.
    package var rejectVersion: UInt64

    /// Bytes of all arguments together that any network takes.
    package static let argumentBytesMax = 16_384
    package static let accessCountMax = 16
    package static let extraPagesMax: UInt64 = 7
    /// Bytes of both programs together: eight pages.
    package static let programBytesMax = 16_384
    package static let boxNameCountMax = 64
}

extension ApplicationCall {
    /// Accounts that the call may use besides the sender, however they are listed.
    package var usedAccounts: [[UInt8]] {
        accounts
            + access.compactMap { reference in
                if case .account(let key) = reference { key } else { nil }
            }
    }

    /// Assets that the call may use, however they are listed.
    package var usedAssets: [UInt64] {
        assets
            + access.compactMap { reference in
                if case .asset(let id) = reference { id } else { nil }
            }
    }

    /// Applications that the call may use besides the one called, however they are listed.
    package var usedApps: [UInt64] {
        apps
            + access.compactMap { reference in
                if case .app(let id) = reference { id } else { nil }
            }
    }

    /// Boxes that the call may use with their application; 0 is the one called.
    package var usedBoxes: [(app: UInt64, name: [UInt8])] {
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
    package func app(at index: UInt64) -> UInt64 {
        guard index > 0, case .app(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// The asset at a place from 1.
    package func asset(at index: UInt64) -> UInt64 {
        guard index > 0, case .asset(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// The account at a place from 1; nil is the sender.
    package func account(at index: UInt64) -> [UInt8]? {
        guard index > 0, case .account(let key) = self[Int(index - 1)] else { return nil }
        return key
    }
}
