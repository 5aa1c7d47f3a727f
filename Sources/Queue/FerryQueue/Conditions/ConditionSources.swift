package import FerryFoundation
package import FerryRules

/// Network and power conditions given by a file, instead of the machine's.
///
/// ```json
/// {"reachable": true, "cellular": false, "expensive": true, "constrained": false, "externalPower": false}
/// ```
/// An absent key has the value that restricts no transfer. `includesLoopback` applies network conditions to hosts on
/// this machine too.
package struct ConditionsFile: Decodable, Sendable {
    private var reachable: Bool?
    private var cellular: Bool?
    private var expensive: Bool?
    private var constrained: Bool?
    private var externalPower: Bool?
    private var includesLoopback: Bool?

    /// Decodes a conditions file. Returns nil for anything else, for example a file that is only half written.
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

/// The meaning of NetworkManager's property values.
package enum NetworkManagerRule {
    /// Only NMMetered 1 (yes) and 3 (guessed yes) count as metered.
    package static func isExpensive(metered: UInt32) -> Bool { metered == 1 || metered == 3 }

    package static func isCellular(connectionType: String) -> Bool {
        connectionType == "gsm" || connectionType == "cdma"
    }
}

/// One of the machine's power supplies, as the kernel's files describe it.
package struct PowerSupply: Hashable, Sendable {
    /// `Mains`, `USB`, `Battery` or another word.
    package var type: String
    /// `Device` for the battery of a peripheral such as a mouse; every other supply is the machine's.
    package var scope: String?
    package var online: String?

    package init(type: String, scope: String? = nil, online: String? = nil) {
        self.type = type
        self.scope = scope
        self.online = online
    }

    /// Whether the machine runs on external power: a mains or USB supply is online, or there is no system battery.
    package static func isExternal(_ supplies: some Sequence<PowerSupply>) -> Bool {
        var hasBattery = false
        for supply in supplies {
            if supply.type == "Mains" || supply.type == "USB", supply.online == "1" { return true }
            if supply.type == "Battery", supply.scope != "Device" { hasBattery = true }
        }
        return !hasBattery
    }
}
