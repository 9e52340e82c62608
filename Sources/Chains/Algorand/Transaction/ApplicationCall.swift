// SPDX-License-Identifier: Apache-2.0

/// `appl`: creates, calls, updates or deletes an application.
package struct ApplicationCall: Hashable, Sendable {
    /// The effect of a successful call on the application, or on the state of the sender in it.
    package enum OnCompletion: UInt64, CaseIterable {
        case noOp, optIn, closeOut, clearState, update, delete

        /// The name in indexers and policies.
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

    /// The number of values that an application stores.
    package struct StateSchema: Hashable, Sendable {
        package var integers: UInt64
        package var byteSlices: UInt64
    }

    /// A box that the call may use.
    package struct Box: Hashable, Sendable {
        /// The position of its application in the list, counted from 1; 0 is the called
        /// application.
        package var appIndex: UInt64
        package var name: [UInt8]
    }

    /// The application; 0 creates one.
    package var app: UInt64
    package var onCompletion: OnCompletion
    package var arguments: [[UInt8]]
    package var accounts: [[UInt8]]
    package var assets: [UInt64]
    package var apps: [UInt64]
    package var boxes: [Box]
    /// The resources that the call may use, in one list that replaces the four older lists.
    package var access: [ResourceReference]
    package var localSchema: StateSchema?
    package var globalSchema: StateSchema?
    package var approvalProgram: [UInt8]
    package var clearProgram: [UInt8]
    package var extraPages: UInt64
    /// The version from which the application must not be called; 0 for any version.
    package var rejectVersion: UInt64

    /// The maximum size of all arguments together on any network, in bytes.
    package static let argumentBytesMax = 16_384
    package static let accessCountMax = 16
    package static let extraPagesMax: UInt64 = 7
    /// The maximum size of both programs together, in bytes: eight pages.
    package static let programBytesMax = 16_384
    package static let boxNameCountMax = 64
}

extension ApplicationCall {
    /// The accounts that the call may use besides the sender, from either form of list.
    package var usedAccounts: [[UInt8]] {
        accounts
            + access.compactMap { reference in
                if case .account(let key) = reference { key } else { nil }
            }
    }

    /// The assets that the call may use, from either form of list.
    package var usedAssets: [UInt64] {
        assets
            + access.compactMap { reference in
                if case .asset(let id) = reference { id } else { nil }
            }
    }

    /// The applications that the call may use besides the called one, from either form of list.
    package var usedApps: [UInt64] {
        apps
            + access.compactMap { reference in
                if case .app(let id) = reference { id } else { nil }
            }
    }

    /// The boxes that the call may use, with their application; 0 is the called application.
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
    /// Returns the application at a position counted from 1; 0 is the called application.
    package func app(at index: UInt64) -> UInt64 {
        guard index > 0, case .app(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// Returns the asset at a position counted from 1.
    package func asset(at index: UInt64) -> UInt64 {
        guard index > 0, case .asset(let id) = self[Int(index - 1)] else { return 0 }
        return id
    }

    /// Returns the account at a position counted from 1; nil is the sender.
    package func account(at index: UInt64) -> [UInt8]? {
        guard index > 0, case .account(let key) = self[Int(index - 1)] else { return nil }
        return key
    }
}
