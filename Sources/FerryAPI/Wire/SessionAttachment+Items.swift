// Ferry: FerryAPI
// The query of an attach.

package import FerryCore

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

    /// - Throws: ``TransferError`` with code `invalid_request` naming the parameter that is unknown, wrong or missing.
    package init(items: [QueryItem]) throws(TransferError) {
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

    /// - Throws: ``TransferError`` with code `invalid_request` naming the parameter that is unknown, wrong or missing.
    package init(_ application: String, items: [QueryItem]) throws(TransferError) {
        let known = try items.byName(among: ["process", "launched_for"])
        self.init(
            application: application, process: try known.required("process").process(),
            launchedFor: known["launched_for"]?.value)
    }
}

extension [QueryItem] {
    /// The items by their names, of which all are known.
    fileprivate func byName(among names: [String]) throws(TransferError) -> [String: QueryItem] {
        for item in self where !names.contains(item.name) { throw item.unknown(among: names) }
        return Dictionary(map { ($0.name, $0) }) { $1 }
    }
}

extension [String: QueryItem] {
    fileprivate func required(_ name: String) throws(TransferError) -> QueryItem {
        guard let item = self[name] else { throw TransferError(.invalidRequest, "The query needs \(name).") }
        return item
    }
}

extension QueryItem {
    fileprivate func process() throws(TransferError) -> Int32 {
        guard let number = Int32(value), number > 0 else { throw invalid("the number of a process") }
        return number
    }
}
