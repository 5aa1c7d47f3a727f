package import FerryCore

/// Attaches a process to its session while it reads the response, which has one signal per line. The query is a
/// `SessionAttachment`.
package enum AttachSession: Endpoint {
    package typealias Response = SessionSignal
    package static let route = Route(
        .post, "/sessions/{id}/attach",
        "Attaches a process to its session while it reads the response, one signal per line.")
}

/// Connects an app's run loop while it reads the response, which has one signal per line. The query is an
/// `ApplicationConnection`.
package enum ConnectApplication: Endpoint {
    package typealias Response = ApplicationSignal
    package static let route = Route(
        .post, "/applications/{id}/connect",
        "Connects an app's run loop while it reads the response, one signal per line.")
}

/// Reports that a process launched for its events has become active.
package enum ActivateApplication: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .post, "/applications/{id}/activate",
        "Reports that a process launched for events has become active.")

    package struct Request: Hashable, Codable, Sendable {
        package var process: Int32

        package init(process: Int32) { self.process = process }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case process }
    }
}

extension ActivateApplication.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

/// Sets the command that launches an app for its events.
package enum ChangeApplication: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .patch, "/applications/{id}", "Stores how an app is launched for its events.")

    package struct Request: Hashable, Codable, Sendable {
        /// The command, or `nil` if the app is not launched.
        package var launch: LaunchCommand?

        package init(launch: LaunchCommand?) { self.launch = launch }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case launch }
    }
}

extension ChangeApplication.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension SessionAttachment {
    private static let names = [
        "application", "identifier", "process", "background_launched", "launch_events", "connections_per_host",
        "progress", "manager",
    ]

    package var items: [QueryItem] {
        var items = [
            QueryItem("application", application), QueryItem("identifier", identifier),
            QueryItem("process", String(process)), QueryItem("background_launched", String(isBackgroundLaunched)),
            QueryItem("launch_events", String(sendsLaunchEvents)), QueryItem("progress", String(progressInterval)),
        ]
        if let connectionsPerHost { items.append(QueryItem("connections_per_host", String(connectionsPerHost))) }
        if isManager { items.append(QueryItem("manager", "true")) }
        return items
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown, invalid or missing parameter.
    package init(items: [QueryItem]) throws(ServiceError) {
        let known = try items.byName(among: Self.names)
        self.init(
            application: try known.required("application").value, identifier: try known.required("identifier").value,
            process: try known.required("process").process(),
            isBackgroundLaunched: try known["background_launched"]?.bool() ?? false,
            sendsLaunchEvents: try known["launch_events"]?.bool() ?? true, connectionsPerHost: nil)
        if let item = known["connections_per_host"] {
            guard let number = Int(item.value) else { throw item.invalid("a number") }
            connectionsPerHost = number
        }
        if let item = known["manager"] { isManager = try item.bool() }
        if let item = known["progress"] {
            guard let seconds = Double(item.value), EventSubscription.intervals.contains(seconds) else {
                throw item.invalid("0.05 to 60 seconds")
            }
            progressInterval = seconds
        }
    }
}

extension ApplicationConnection {
    package var items: [QueryItem] {
        [QueryItem("process", String(process))] + (launchedFor.map { [QueryItem("launched_for", $0)] } ?? [])
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown, invalid or missing parameter.
    package init(_ application: String, items: [QueryItem]) throws(ServiceError) {
        let known = try items.byName(among: ["process", "launched_for"])
        self.init(
            application: application, process: try known.required("process").process(),
            launchedFor: known["launched_for"]?.value)
    }
}

extension [QueryItem] {
    /// Returns the items by name. Throws if a name is unknown.
    fileprivate func byName(among names: [String]) throws(ServiceError) -> [String: QueryItem] {
        for item in self where !names.contains(item.name) { throw item.unknown(among: names) }
        return Dictionary(map { ($0.name, $0) }) { $1 }
    }
}

extension [String: QueryItem] {
    fileprivate func required(_ name: String) throws(ServiceError) -> QueryItem {
        guard let item = self[name] else { throw ServiceError(.invalidRequest, "The query needs \(name).") }
        return item
    }
}

extension QueryItem {
    fileprivate func process() throws(ServiceError) -> Int32 {
        guard let number = Int32(value), number > 0 else { throw invalid("the number of a process") }
        return number
    }
}
