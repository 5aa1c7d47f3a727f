package import FerryRules

/// The conditions a source reports.
package struct ConditionReport: Hashable, Sendable {
    package var conditions = Conditions()
    /// The needs that the report covers.
    package var known: ConditionNeeds = []

    package init() {}
}
