import FerryAPI
import FerryCore

extension GatewayTable {
    /// The tables of `docs/gateway-access.md`.
    static var text: String {
        var lines = [
            "## Routes", "",
            "| route | without secret | secret, token |", "|---|---|---|",
        ]
        for route in Route.all + gatewayRoutes {
            let name = "`\(route.method.rawValue) \(route.path)`"
            if route == PairClient.route || route == OpenPage.route {
                lines.append("| \(name) | with a code | with a code |")
            } else if routes.contains(route) || gatewayRoutes.contains(route) {
                lines.append("| \(name) | 401 | offered |")
            } else {
                lines.append("| \(name) | 401 | 404 |")
            }
        }
        lines += ["", "## Actions", "", "| action | in allowed folders | elsewhere |", "|---|---|---|"]
        for action in TransferAction.allCases {
            lines.append("| `\(action.rawValue)` | offered | \(elsewhere(verdict(on: action))) |")
        }
        for (title, table) in [
            ("Keys of a new request", request), ("Keys of a change", change), ("Keys of the settings", settings),
            ("Keys of a session's settings", session),
        ] {
            lines += ["", "## \(title)", "", "| key | in allowed folders | elsewhere |", "|---|---|---|"]
            for (key, verdict) in table.sorted(by: { $0.key < $1.key }) {
                lines.append(
                    "| `\(key)` | \(verdict == .refused ? "refused" : "offered") | \(elsewhere(verdict)) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The routes that only the gateway has.
    static let gatewayRoutes = [PairClient.route, OpenPage.route, ListFolders.route]

    private static func elsewhere(_ verdict: Verdict) -> String { verdict == .offered ? "offered" : "refused" }
}
