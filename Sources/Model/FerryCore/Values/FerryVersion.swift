/// The version of this build.
package enum FerryVersion {
    package static let current = "0.1.0"
}
