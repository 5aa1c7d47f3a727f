import FerryFoundation

/// Calls a closure with texts as a C array: pointers to copies, terminated by a null pointer.
package func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = unsafe texts.map { $0.withPath { unsafe strdup($0) } }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
}
