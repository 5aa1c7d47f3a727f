import FerryPage

/// A file of the gateway's page, as it is in the program.
struct PageFile: Sendable {
    let path: String
    let contentType: String
    let bytes: [UInt8]

    static let all: [PageFile] = (0..<ferry_page_count()).map { place in
        let file = unsafe ferry_page_file(place)
        // SAFETY: constants of the program, with the counts of their bytes.
        return unsafe PageFile(
            path: String(cString: file.path), contentType: String(cString: file.content_type),
            bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }

    static let paths = Set(all.map(\.path))
}
