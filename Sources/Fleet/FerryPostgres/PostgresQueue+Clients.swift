import FerryAPI
package import FerryCore
package import FerryFleet
import FerryFoundation

/// Calls of submitters.
extension PostgresQueue {
    package func submit(_ requests: [JobRequest]) async throws(ServiceError) -> [JobSubmission] {
        var results = [JobSubmission?](repeating: nil, count: requests.count)
        var admitted: [Admitted] = []
        for (place, request) in requests.enumerated() {
            do throws(ServiceError) {
                let job = try request.admitted()
                admitted.append((place, job, try job.text()))
            } catch {
                results[place] = JobSubmission(.refused(error))
            }
        }
        // Another job that was in the way may be gone by now.
        for _ in 0..<Self.mostRepetitions where !admitted.isEmpty {
            try submit(admitted, &results)
            admitted.removeAll { results[$0.place] != nil }
        }
        return results.map { $0 ?? .busy }
    }

    private typealias Admitted = (place: Int, job: JobRequest.Admitted, text: String)

    private func submit(_ admitted: [Admitted], _ results: inout [JobSubmission?]) throws(ServiceError) {
        let parts: CallParts<Admitted, (Admitted, JobSubmission)>
        do {
            parts = try CallParts(admitted) { (part) throws(PostgresFailure) in try attempt(part) }
        } catch {
            throw error.error
        }
        for (job, result) in parts.answers { results[job.place] = result }
        guard let failure = parts.failure else { return }
        let error =
            failure.isRefusal
            ? ServiceError(.invalidRequest, "The fleet's database refuses this job: \(failure.message).")
            : failure.error
        for job in parts.refused { results[job.place] = JobSubmission(.refused(error)) }
    }

    /// The results of one call. None for a job that is to be submitted again.
    private func attempt(_ admitted: [Admitted]) throws(PostgresFailure) -> [(Admitted, JobSubmission)] {
        let jobs = admitted.map(\.job.request)
        let rows = try attempt(
            "submit",
            [
                .array("text", admitted.map(\.job.origin.description)), .array("text", jobs.map(\.needs)),
                .array("smallint", of: jobs.map(\.transfer.timing.priority.rawValue)), .array("text", jobs.map(\.key)),
                .array("text", jobs.map(\.batch)), .array("text", jobs.map(\.path)),
                .array("boolean", of: jobs.map { $0.exclusivePath != nil }),
                .array("text", admitted.map(\.job.shownURL)), .array("text", admitted.map(\.text)),
                .array("timestamptz", jobs.map { $0.notBefore.map { Self.wireTime($0) } }),
                .array("boolean", of: jobs.map(\.transfer.timing.paused)),
            ])
        var results: [(Admitted, JobSubmission)] = []
        do throws(ServiceError) {
            for row in rows.rows {
                let number = try row.value(0) { Int($0) }
                guard admitted.indices.contains(number - 1) else { continue }
                let job = admitted[number - 1]
                if let result = try Self.submission(of: job.job, row) { results.append((job, result)) }
            }
        } catch {
            throw PostgresFailure(error)
        }
        return results
    }

    private static func submission(
        of job: JobRequest.Admitted, _ row: [String?]
    ) throws(ServiceError) -> JobSubmission? {
        let other = row[3].flatMap { JobID($0) }
        switch try row.value(2, { Int($0) }) {
        case 0: return JobSubmission(.added(try row.value(1) { JobID($0) }))
        case 1: return other.map { JobSubmission(.existing($0)) }
        case 2: return .taken(job.request.path, by: other)
        case 3: return .outside(job.request.path)
        default: return nil
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
                Parameter(type: "text[]", text: states), .text(query.code?.rawValue), .text(query.host),
                .text(query.batch), .big(query.after?.rawValue), .count(query.limit), .bool(query.newestFirst),
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
                case "taken": .taken(id)
                case "succeeded": .succeeded(id)
                default: .unknown(id)
                }
            return JobActionResult(id: id, state: row[1].flatMap(TransferState.init), error: error)
        }
    }

    package func ends(after cursor: String?, limit: Int) async throws(ServiceError) -> EndPage {
        let last = try call("last_end", []).rows.first ?? []
        let server = try last.value(0) { $0 }
        guard let cursor else {
            let place = EndCursor(server: server, number: try last.value(1) { Int64($0) }, id: .max)
            return EndPage(ends: [], next: place.text)
        }
        let place = try EndCursor(cursor)
        let rows = try call("ends", [.text(place.server), .big(place.number), .big(place.id), .count(limit)])
        let ends = try rows.rows.map { row throws(ServiceError) in
            let after = EndCursor(
                server: server, number: try row.value(0) { Int64($0) }, id: try row.value(1) { Int64($0) })
            return EndPage.End(cursor: after.text, job: try Self.decode(try row.value(2) { $0 }))
        }
        guard let next = ends.last?.cursor else {
            // All that was numbered before the question has been looked at.
            let seen = EndCursor(server: server, number: try last.value(1) { Int64($0) }, id: .max)
            return EndPage(ends: [], next: place.server == server && place.number > seen.number ? cursor : seen.text)
        }
        return EndPage(ends: ends, next: next)
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

    package func release(_ origin: Origin) async throws(ServiceError) {
        _ = try call("release", [.text(origin.description)])
    }

    package func stores() async throws(ServiceError) -> [Store] {
        try call("list_stores", []).rows.map { row throws(ServiceError) in
            Store(name: try row.value(0) { $0 }, folder: try row.value(1) { $0 }, mark: try row.value(2) { $0 })
        }
    }

    package func setStore(_ store: Store) async throws(ServiceError) {
        let other = try call("set_store", [.text(store.name), .text(store.folder), .text(store.mark)]).single
        if let other { throw .taken(store.folder, by: other) }
    }

    package func keptFor() async throws(ServiceError) -> Double {
        try (call("kept_for", []).rows.first ?? []).value(0) { Double($0) }
    }

    package func keep(for seconds: Double) async throws(ServiceError) { _ = try call("keep_for", [.number(seconds)]) }
}
