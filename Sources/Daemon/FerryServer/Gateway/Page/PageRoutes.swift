import FerryPage
import HTTPTypes
import Hummingbird

/// The routes of the gateway's page. Its files contain no user data, so they need no secret.
struct PageRoutes: Sendable {
    func add(to router: Router<ConnectionContext>) {
        for file in PageFile.all {
            let body = ResponseBody(byteBuffer: .init(bytes: file.bytes))
            router.on(RouterPath(file.path), method: .get) { _, _ in
                var fields = Self.fields
                fields[.contentType] = file.contentType
                return Response(status: .ok, headers: fields, body: body)
            }
        }
    }

    /// The page's Content Security Policy (level 3). It may use only its own scripts, styles, pictures and calls. Text
    /// never becomes markup or a script (`require-trusted-types-for`), except for a dropped Metalink document, which is
    /// not displayed, and the constant address of the page's worker.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types xml worker",
    ].joined(separator: "; ")

    private static let fields: HTTPFields = [
        .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer",
        .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
        // The page must match the daemon's version. Without caching, no old part remains after an update.
        .cacheControl: "no-store",
    ]
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!  // SAFETY: a token of HTTP
    fileprivate static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!  // SAFETY: as above
    fileprivate static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!  // SAFETY: as above
}

/// A file of the gateway's page, embedded in the program.
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
