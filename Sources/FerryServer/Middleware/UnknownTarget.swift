// Ferry: FerryServer
// What is said about a path or method that is not served.

import FerryAPI
import FerryCore
import HTTPTypes

/// Says what is wrong with a path or method that no route has.
enum UnknownTarget {
    static func failure(path: String, method: String) -> APIFailure {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if let first = parts.first, first.first == "v", let version = Int(first.dropFirst()),
            version != APIVersion.current
        {
            return APIFailure(
                .notFound,
                "ferryd \(FerryVersion.current) speaks version \(APIVersion.current) of the control API, not \(version); "
                    + "paths begin with \(APIVersion.prefix)/.")
        }
        let methods = Route.all.filter { matches($0, parts) }.map(\.method.rawValue)
        guard methods.isEmpty || methods.contains(method) else {
            let allowed = methods.joined(separator: ", ")
            return APIFailure(
                .methodNotAllowed, "\(path.escapingControls) is served for \(allowed), not \(method.escapingControls).",
                headers: [.allow: allowed])
        }
        return APIFailure(.notFound, "There is nothing at \(path.escapingControls).")
    }

    private static func matches(_ route: Route, _ parts: [Substring]) -> Bool {
        let wanted = route.path.split(separator: "/")
        return wanted.count == parts.count
            && zip(wanted, parts).allSatisfy { want, have in want == have || want.first == "{" }
    }
}
