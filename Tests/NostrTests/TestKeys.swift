// SPDX-License-Identifier: Apache-2.0

/// Public keys in hex.
enum TestKeys {
    static let aliceHex = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
    static let bobHex = "fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"
}
