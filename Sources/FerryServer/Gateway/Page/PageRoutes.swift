import FerryPage
import HTTPTypes
import Hummingbird

/// The routes of the gateway's page. Its files hold nothing of the user's, so that they need no secret.
struct PageRoutes: Sendable {
    func add(to router: Router<BasicRequestContext>) {
        for file in PageFile.all {
            let body = ResponseBody(byteBuffer: .init(bytes: file.bytes))
            router.on(RouterPath(file.path), method: .get) { _, _ in
                var fields = Self.fields
                fields[.contentType] = file.contentType
                return Response(status: .ok, headers: fields, body: body)
            }
        }
    }

    /// The page's rights: it uses its own scripts, styles, pictures and calls, and nothing else (Content Security Policy 3). Text
    /// never becomes markup or a script (`require-trusted-types-for`), but for a Metalink document that is dropped, which is not shown.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types xml",
    ].joined(separator: "; ")

    private static let fields: HTTPFields = [
        .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
        // The page is of the daemon's version: after an update there is no old part of it.
        .cacheControl: "no-store",
    ]
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!  // SAFETY: a token of HTTP
    fileprivate static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!  // SAFETY: as above
    fileprivate static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!  // SAFETY: as above
}

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
