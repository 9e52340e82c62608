// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
package import SigningPolicy

/// The findings of a shadow policy.
package struct ShadowReport: Sendable {
    /// The policy and its counts.
    package let state: ShadowState
    /// The kinds of differences, the most frequent first.
    package let differences: [ShadowDifference]
    /// The rules and budgets of the shadow policy whose limits count no use on record; nil if one
    /// of the policies cannot be read.
    package let unknownLimits: [String]?
}

extension OpenHome {
    /// Starts a shadow policy, in place of an earlier one; returns the policy.
    package func startShadow(_ path: String) throws(ServiceError) -> TOMLPolicy {
        let loaded = try PolicyLoading.load(path: path, adapters: adapters)
        let policy = try loaded.usable(path)
        do throws(ShadowError) {
            try ShadowFile.start(
                loaded.source, hash: policy.hash, named: policy.fileName,
                at: SystemEnvironment().now(), in: home)
        } catch {
            throw ServiceError(error)
        }
        return policy
    }

    /// Returns what the shadow policy has found; nil if there is none.
    package func shadowReport() throws(ServiceError) -> ShadowReport? {
        guard ShadowFile.isThere(in: home) else { return nil }
        do throws(ShadowError) {
            let file = try ShadowFile(of: home)
            guard let state = try file.state() else { return nil }
            let inForce = try? attestedPolicy()
            let unknown = inForce.flatMap { state.policy(adapters)?.limitsUnknown(to: $0) }
            return ShadowReport(
                state: state, differences: try file.differences(), unknownLimits: unknown)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Ends the shadow policy and deletes what it found; false if there is none.
    package func stopShadow() throws(ServiceError) -> Bool {
        guard ShadowFile.isThere(in: home) else { return false }
        do throws(ShadowError) { try ShadowFile.delete(in: home) } catch {
            throw ServiceError(error)
        }
        return true
    }
}

extension ServiceError {
    fileprivate init(_ error: ShadowError) {
        self.init(error.text, hint: "to delete the file: countersign policy shadow stop")
    }
}
