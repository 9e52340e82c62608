// SPDX-License-Identifier: Apache-2.0

/// The relations of a request to earlier and later requests; each of them is optional.
public struct RequestTerms: Sendable {
    /// The client's name for the request; nil if the wire has none.
    ///
    /// If the client sends the same request again while it waits, both get the same answer.
    public var correlator: String?
    /// True if a yes is for this request only, and no remembered yes answers the request.
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
    /// The name of a group of requests about which a person is asked one at a time; nil for none.
    ///
    /// A remembered yes also answers waiting requests that it covers; a no denies all of the group.
    public var burst: String?
    /// The moment after which the request has no effect, such as that of a login; nil for none.
    public var expires: Timestamp?
    /// Returns whether the adapter would decode the frame in the same way with current settings.
    ///
    /// They may have changed while a person was asked. Nil if decoding depends on no settings.
    public var isCurrent: (@Sendable () -> Bool)?

    /// Creates the terms of a request that has no relation to other requests.
    public init() {}
}
