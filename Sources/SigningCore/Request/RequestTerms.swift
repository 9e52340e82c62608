// SPDX-License-Identifier: Apache-2.0

/// The relations of a request to earlier and later ones; all of them are optional.
public struct RequestTerms: Sendable {
    /// The client's name for the request, if the wire has one.
    ///
    /// The same request sent again while it waits receives the same answer.
    public var correlator: String?
    /// True if a yes counts for this request alone and no remembered yes answers it.
    public var isOneTime = false
    /// True if the answer only repeats information from the connection and needs no key.
    ///
    /// Then a person is asked only if a rule says so, not if only the policy's default asks.
    public var repeatsConnection = false
    /// True if the request only gives up the client's connections and grants.
    ///
    /// Unless a link carried the request, only a rule can deny it or have a person asked.
    public var endsConnection = false
    /// The permissions for later requests that the client asks for together with this request;
    /// its adapter must be `GrantsWishes`.
    public var wishes: [Wish] = []
    /// The notes to store after the request is done.
    public var notes: [Note] = []
    /// The changes of connections to make after the request is done.
    public var connectionChanges: [ConnectionChange] = []
    /// Numbers that no other request may use again.
    public var serials: [SerialUse] = []
    /// The ids of connections that must not have ended when a key is used.
    public var requiredConnections: [[UInt8]] = []
    /// The pace that the client must keep; nil if only the policy limits the client's rate.
    public var pace: Pace?
    /// The reason that the request cannot be carried out, such as an account that this home does
    /// not hold; nil if it can.
    ///
    /// Rules judge the request anyway, so that a denied client does not learn this reason.
    public var unserved: Reason?
    /// The other accounts that a person may choose instead; empty if there is no choice.
    public var otherAccounts: [Account] = []
    /// True if the request names no account and the adapter chose the first; the hub then prefers
    /// an account for which the rules allow the request.
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

    /// Creates the terms of a request that has no relation to other requests.
    public init() {}
}
