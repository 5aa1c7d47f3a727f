// Ferry: FerryTesting
// What goes wrong in the tools of the tests themselves.

/// A failure of the test's own tools.
package struct TestingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
