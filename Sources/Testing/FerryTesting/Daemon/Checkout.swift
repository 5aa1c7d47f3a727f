package import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
    /// Root of the checkout: the folder of `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.pathComponents.count > 1
            && !FileManager.default.fileExists(
                atPath: folder.appending(path: "Package.swift").path(percentEncoded: false))
        return folder
    }()

    /// Returns the URL of a file in the checkout.
    package static func file(_ path: String) -> URL { root.appending(path: path) }
}
