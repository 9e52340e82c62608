// SPDX-License-Identifier: Apache-2.0

/// The relations of a request to earlier and later ones; all of them are optional.
public struct RequestTerms: Sendable {
    /// The client's name for the request, if the wire has one.
    ///
    /// The same request sent again while it waits receives the same answer.
    public var correlator: String?
    /// True if a yes counts for this request alone and no remembered yes answers it.
    public var isOneTime = false
    /// True if it only repeats information from the connection and uses no key.
    ///
    /// If only the default asks, a person is not asked again.
    public var repeatsConnection = false
    /// True if the request only gives up the client's connections and grants.
    ///
    /// It ends connections and revokes grants. Only a rule denies it or has a person asked.
    public var endsConnection = false
    /// The permissions that the client wishes for with the answer; its adapter must be
    /// `GrantsWishes`.
    public var wishes: [Wish] = []
    /// The notes to keep once the request is done.
    public var notes: [Note] = []
    /// The changes of connections once it is done.
    public var connectionChanges: [ConnectionChange] = []
    /// Numbers that no other request may use again.
    public var serials: [SerialUse] = []
    /// The ids of connections that must not have ended when a key is used.
    public var requiredConnections: [[UInt8]] = []
    /// The pace of its client; nil if only the policy bounds it.
    public var pace: Pace?
    /// The reason that it cannot be carried out, such as an account that is not held; nil if it
    /// can.
    ///
    /// It is judged anyway, so that a client that rules deny learns nothing else.
    public var unserved: Reason?
    /// The other accounts that a person may choose instead; empty if there is no choice.
    public var otherAccounts: [Account] = []
    /// True if only the order of accounts chose the account; then the first that rules allow is
    /// used.
    public var isAccountOpen = false
    /// The name of a group of requests that are asked about one at a time; nil for no group.
    ///
    /// A yes that covers waiting requests of the client answers them too; a no denies them.
    public var burst: String?
    /// The last moment at which the request is of use, such as that of a login; nil for no end.
    public var expires: Timestamp?
    /// Returns whether settings still lead to the same reading; nil if only the frame decides it.
    ///
    /// Settings may have changed while a person was asked.
    public var isCurrent: (@Sendable () -> Bool)?

    /// Makes terms without any relation.
    public init() {}
}
