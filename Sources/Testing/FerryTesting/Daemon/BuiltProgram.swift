import Foundation

/// A program of this package, built together with the tests.
package enum BuiltProgram: String, Sendable {
    case ferry, ferryd
    /// An app with one background session, controlled by its arguments.
    case app = "BackgroundTestApp"
    /// An app with managers, controlled by the test.
    case managerApp = "FerryTestApp"
    /// The agent and the commands of a fleet.
    case fleet = "ferry-fleet"
    /// Runs histories of the simulated service.
    case simulator = "FerrySimulator"

    /// Returns the program's absolute path: next to the test program, or else in `.build/debug` of the folder that
    /// contains these sources.
    ///
    /// - Throws: ``TestingError`` if it is at neither path.
    package func path() throws -> String {
        let places = [Self.besideTests, Self.inBuildFolder].compactMap(\.self).map { "\($0)/\(rawValue)" }
        guard let found = places.first(where: FileManager.default.isExecutableFile) else {
            throw TestingError("\(rawValue) is not built; it is not at \(places.joined(separator: " or ")).")
        }
        return found
    }

    private static var besideTests: String? {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        return URL(filePath: program).deletingLastPathComponent().path(percentEncoded: false)
            .trimmingSuffix("/")
    }

    private static var inBuildFolder: String? {
        let build = Checkout.file(".build/debug").path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: build) ? build : nil
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
