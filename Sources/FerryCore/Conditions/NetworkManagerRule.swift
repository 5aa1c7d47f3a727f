// Ferry: FerryCore
// What NetworkManager's words mean.

/// What NetworkManager's words mean.
package enum NetworkManagerRule {
    /// NMMetered 1 is yes, 3 is a guess that says yes; everything else is not metered.
    package static func isExpensive(metered: UInt32) -> Bool { metered == 1 || metered == 3 }

    package static func isCellular(connectionType: String) -> Bool {
        connectionType == "gsm" || connectionType == "cdma"
    }
}
