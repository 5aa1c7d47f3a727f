import FerryAPI
package import FerryCore
package import FerryFleet
import FerryFoundation

/// Calls of submitters.
extension PostgresQueue {
    package func submit(_ requests: [JobRequest]) async throws(ServiceError) -> [JobSubmission] {
        var results = [JobSubmission?](repeating: nil, count: requests.count)
        var admitted: [(place: Int, job: JobRequest.Admitted, text: String)] = []
        for (place, request) in requests.enumerated() {
            do throws(ServiceError) {
                let job = try request.admitted()
                admitted.append((place, job, try job.text()))
            } catch {
                results[place] = JobSubmission(.refused(error))
            }
        }
        guard !admitted.isEmpty else { return results.compactMap(\.self) }
        let jobs = admitted.map(\.job.request)
        let rows = try call(
            "submit",
            [
                .array("text", admitted.map(\.job.origin.description)), .array("text", jobs.map(\.needs)),
                .array("smallint", of: jobs.map(\.transfer.timing.priority.rawValue)), .array("text", jobs.map(\.key)),
                .array("text", jobs.map(\.path)), .array("boolean", of: jobs.map { $0.exclusivePath != nil }),
                .array("text", admitted.map(\.job.shownURL)), .array("text", admitted.map(\.text)),
                .array("timestamptz", admitted.map { $0.job.notBefore.map { Self.wireTime($0) } }),
                .array("boolean", of: jobs.map(\.transfer.timing.paused)),
            ])
        for row in rows.rows {
            let number = try row.value(0) { Int($0) }
            guard admitted.indices.contains(number - 1) else { continue }
            let (place, job, _) = admitted[number - 1]
            let other = row[3].flatMap { JobID($0) }
            switch try row.value(2, { Int($0) }) {
            case 0: results[place] = JobSubmission(.added(try row.value(1) { JobID($0) }))
            case 1: results[place] = other.map { JobSubmission(.existing($0)) }
            case 2: results[place] = other.map { .taken(job.request.path, by: $0) }
            default: results[place] = .outside(job.request.path)
            }
        }
        return results.map {
            $0 ?? JobSubmission(.refused(ServiceError(.internal, "The queue did not answer for this job.")))
        }
    }

    private static func wireTime(_ date: Date) -> String {
        // An encoded date is a JSON string.
        String(json(date).dropFirst().dropLast())
    }

    package func jobs(_ query: JobQuery) async throws(ServiceError) -> [Job] {
        let states = query.states.isEmpty ? nil : PostgresText.array(query.states.map(\.rawValue))
        let rows = try call(
            "list_jobs",
            [
                Parameter(type: "text[]", text: states), .big(query.after?.rawValue), .count(query.limit),
                .bool(query.newestFirst),
            ])
        return try rows.column.map { text throws(ServiceError) in try Self.decode(text) }
    }

    package func job(_ id: JobID) async throws(ServiceError) -> Job {
        guard let text = try call("describe", [.big(id.rawValue), .bool(true)]).single else { throw .unknown(id) }
        return try Self.decode(text)
    }

    package func act(_ action: JobAction, on jobs: [JobID]) async throws(ServiceError) -> [JobActionResult] {
        let rows = try call("act", [.text(action.rawValue), .array("bigint", of: jobs)])
        return try rows.rows.map { row throws(ServiceError) in
            let id = try row.value(0) { JobID($0) }
            let error: ServiceError? =
                switch row[2] {
                case nil: nil
                case "taken": ServiceError(.destinationExists, "Another job has taken the destination of job \(id).")
                default: .unknown(id)
                }
            return JobActionResult(id: id, state: row[1].flatMap(TransferState.init), error: error)
        }
    }

    package func ends(after cursor: String?, limit: Int) async throws(ServiceError) -> EndPage {
        guard let cursor else {
            return EndPage(jobs: [], next: "\(try call("last_end", []).single ?? "0").0")
        }
        let parts = cursor.split(separator: ".").map(String.init)
        guard parts.count == 2, UInt64(parts[0]) != nil, let id = Int64(parts[1]) else {
            throw ServiceError(
                .invalidRequest, "“\(cursor.escapingControls)” is no cursor. Use one that `ferry fleet watch` printed.")
        }
        let rows = try call("ends", [Parameter(type: "xid8", text: parts[0]), .big(id), .count(limit)])
        let jobs: [Job] = try rows.rows.map { row throws(ServiceError) in try Self.decode(try row.value(2) { $0 }) }
        guard let last = rows.rows.last else { return EndPage(jobs: [], next: cursor) }
        return EndPage(jobs: jobs, next: "\(try last.value(0) { $0 }).\(try last.value(1) { $0 })")
    }

    package func status() async throws(ServiceError) -> FleetStatus {
        try Self.decode(try call("fleet_status", []).single ?? "")
    }

    package func drain(_ worker: String?, patience: Double) async throws(ServiceError) -> [String] {
        try call("drain", [.text(worker), .number(patience)]).column.sorted()
    }

    package func setOrigin(_ origin: Origin, atOnce: Int?) async throws(ServiceError) {
        _ = try call(
            "set_origin", [.text(origin.description), Parameter(type: "int", text: atOnce.map { String($0) })])
    }

    package func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {
        _ = try call("hold", [.text(origin.description), .number(seconds)])
    }

    package func stores() async throws(ServiceError) -> [Store] {
        try call("list_stores", []).rows.map { row throws(ServiceError) in
            Store(name: try row.value(0) { $0 }, folder: try row.value(1) { $0 }, mark: try row.value(2) { $0 })
        }
    }

    package func setStore(_ store: Store) async throws(ServiceError) {
        _ = try call("set_store", [.text(store.name), .text(store.folder), .text(store.mark)])
    }
}
