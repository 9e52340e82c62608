// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Client.PeerText {
    /// With hidden characters and line ends written out, and cut; fit to be shown.
    public var visible: String {
        VisibleText.escaped(verbatim, countMax: Self.shownCountMax)
    }

    /// The visible form.
    public var description: String { visible }
}
