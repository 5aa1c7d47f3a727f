/// The version of this build.
package enum FerryVersion {
    package static let current = "0.1.0"
    /// The day of the version, for the manual pages.
    package static let date = "2026-11-30"
}
