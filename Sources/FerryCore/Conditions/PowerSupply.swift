// Ferry: FerryCore
// One of the machine's power supplies.

/// One of the machine's power supplies, as the kernel's files describe it.
package struct PowerSupply: Hashable, Sendable {
    /// `Mains`, `USB`, `Battery` or another word.
    package var type: String
    /// `Device` for the battery of a mouse and the like; every other supply is the machine's.
    package var scope: String?
    package var online: String?

    package init(type: String, scope: String? = nil, online: String? = nil) {
        self.type = type
        self.scope = scope
        self.online = online
    }

    /// Whether the machine runs on external power: a supply of mains or USB is online, or it has no battery of its own.
    package static func isExternal(_ supplies: some Sequence<PowerSupply>) -> Bool {
        var hasBattery = false
        for supply in supplies {
            if supply.type == "Mains" || supply.type == "USB", supply.online == "1" { return true }
            if supply.type == "Battery", supply.scope != "Device" { hasBattery = true }
        }
        return !hasBattery
    }
}
