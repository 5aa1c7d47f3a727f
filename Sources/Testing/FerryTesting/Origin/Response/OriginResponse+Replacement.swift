import FerryCore
import Foundation

/// Responses that replace that of the resource.
extension OriginResponse {
    /// Returns the response with which a mode replaces that of the resource, or `nil` if it does not replace it.
    package static func replacement(_ mode: OriginMode, _ exchange: OriginExchange) -> OriginResponse? {
        switch mode {
        case .status(let status, let retryAfter, let body):
            return answer(status, retryAfter: retryAfter, body: body)
        case .redirect(let target, let status):
            return redirect(to: target, status: status)
        case .signedRedirect:
            return redirect(to: "/signed/\(exchange.pathNumber)", status: 302)
        case .expiring(let uses):
            if exchange.request.value("Authorization") != nil {
                return OriginResponse(status: 400, text: "Only one authentication mechanism is allowed.\n")
            }
            return exchange.pathNumber > uses ? OriginResponse(status: 403, text: "Request has expired.\n") : nil
        case .once:
            return exchange.pathNumber > 1 ? OriginResponse(status: 410, text: "Gone.\n") : nil
        case .basic(let user, let password):
            let token = Data("\(user):\(password)".utf8).base64EncodedString()
            guard exchange.request.value("Authorization") != "Basic \(token)" else { return nil }
            return OriginResponse(
                status: 401, text: "Who are you?\n",
                fields: [HeaderField(name: "WWW-Authenticate", value: "Basic realm=\"ferry\", charset=\"UTF-8\"")])
        case .limit(let limit, let status):
            return exchange.activeResponses > limit ? OriginResponse(status: status, text: "Too many.\n") : nil
        case .portal(let portal):
            return portalAnswer(portal, exchange)
        default:
            return nil
        }
    }

    private static func answer(_ status: Int, retryAfter: String?, body: String) -> OriginResponse {
        var response = OriginResponse(status: status, text: body)
        response.set("Retry-After", retryAfter)
        if status == 204 || status == 304 {
            response.framing = .none
            response.content = []
        }
        return response
    }

    private static func redirect(to target: String?, status: Int) -> OriginResponse {
        var response = OriginResponse(status: status, text: "Elsewhere.\n")
        response.set("Location", target)
        return response
    }

    private static func portalAnswer(_ portal: Portal, _ exchange: OriginExchange) -> OriginResponse {
        let page = "<!doctype html><title>Welcome</title><p>Please log in.</p>\n"
        return switch portal {
        case .login where exchange.request.path != "/login": redirect(to: "/login", status: 302)
        case .page, .login: OriginResponse(status: 200, text: page, type: "text/html")
        case .authenticationRequired: OriginResponse(status: 511, text: page, type: "text/html")
        }
    }
}
