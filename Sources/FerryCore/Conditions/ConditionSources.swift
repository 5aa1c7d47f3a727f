package import FerryFoundation

/// Conditions as a file states them, instead of what the machine says.
///
/// ```json
/// {"reachable": true, "cellular": false, "expensive": true, "constrained": false, "externalPower": false}
/// ```
/// A key that is absent stands for the state that restricts no transfer. `includesLoopback` lets networks matter for hosts on this
/// machine too.
package struct ConditionsFile: Decodable, Sendable {
    private var reachable: Bool?
    private var cellular: Bool?
    private var expensive: Bool?
    private var constrained: Bool?
    private var externalPower: Bool?
    private var includesLoopback: Bool?

    /// Nil for bytes that are no such file: half of one, for instance, whose writer is at work.
    package static func conditions(_ bytes: Data) -> Conditions? {
        (try? JSONDecoder().decode(Self.self, from: bytes))?.conditions
    }

    private var conditions: Conditions {
        var result = Conditions()
        result.reachable = reachable ?? result.reachable
        result.cellular = cellular ?? result.cellular
        result.expensive = expensive ?? result.expensive
        result.constrained = constrained ?? result.constrained
        result.externalPower = externalPower ?? result.externalPower
        result.includesLoopback = includesLoopback ?? result.includesLoopback
        return result
    }
}

/// What NetworkManager's words mean.
package enum NetworkManagerRule {
    /// NMMetered 1 is yes, 3 is a guess that says yes; everything else is not metered.
    package static func isExpensive(metered: UInt32) -> Bool { metered == 1 || metered == 3 }

    package static func isCellular(connectionType: String) -> Bool {
        connectionType == "gsm" || connectionType == "cdma"
    }
}

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
