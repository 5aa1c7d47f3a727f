// Ferry: FerryTesting
// Which requests get which misbehaviour.

/// The modes that requests get for which a condition holds.
package struct OriginRule: Sendable {
    package var condition: OriginCondition
    package var modes: [OriginMode]

    package init(condition: OriginCondition, modes: [OriginMode]) {
        self.condition = condition
        self.modes = modes
    }

    package static func on(_ condition: OriginCondition, _ modes: OriginMode...) -> OriginRule {
        OriginRule(condition: condition, modes: modes)
    }

    package static func always(_ modes: OriginMode...) -> OriginRule {
        OriginRule(condition: .always, modes: modes)
    }
}

extension [OriginRule] {
    /// Redirects from each path to the next; the last one is served.
    package static func redirects(through paths: String..., status: Int = 302) -> [OriginRule] {
        zip(paths, paths.dropFirst()).map { .on(.path($0), .redirect(to: $1, status: status)) }
    }

    /// `hops` redirects: from `/hop/<hops>` down to `/hop/1`, which leads to the target.
    package static func redirects(hops: Int, to target: String = "/file.bin") -> [OriginRule] {
        (1...hops).map { hop in
            .on(.path("/hop/\(hop)"), .redirect(to: hop == 1 ? target : "/hop/\(hop - 1)"))
        }
    }
}
