// Ferry: FerryAPI
// The version of the control API.

/// The version of the control API that this build speaks; the first part of every path.
package enum APIVersion {
    package static let current = 1
    /// What every path of this version begins with.
    package static let prefix = "/v\(current)"
}
