// Ferry: FerryCore
// Conditions that a file states.

package import Foundation

/// Conditions as a file states them, instead of what the machine says.
///
/// ```json
/// {"reachable": true, "cellular": false, "expensive": true, "constrained": false, "externalPower": false}
/// ```
/// A key that is absent stands for the state that restricts nobody. `includesLoopback` lets networks matter for hosts on this
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
