import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// The figures of one worker.
struct WorkerMetrics {
    let worker: WorkerSnapshot

    var text: String {
        var page = PrometheusText()
        let counts = worker.counters
        page.add(.gauge, "ferry_fleet_worker_joined", "Whether this worker is a member.", worker.isMember ? 1 : 0)
        page.add(.gauge, "ferry_fleet_worker_slots", "Transfers at once.", Double(worker.slots))
        page.add(.gauge, "ferry_fleet_worker_running_jobs", "Slots in use.", Double(worker.running))
        page.add(.gauge, "ferry_fleet_worker_held_jobs", "Jobs under this worker's lease.", Double(worker.held))
        page.add(
            .gauge, "ferry_fleet_worker_claims_jobs", "0 while the worker claims nothing; its reason is the label.",
            label: "reason", [(worker.condition ?? "", worker.condition == nil ? 1 : 0)])
        page.add(
            .gauge, "ferry_fleet_lease_validity_seconds", "Seconds until the leases may be over.",
            worker.validity.isFinite ? worker.validity : 0)
        page.add(
            .gauge, "ferry_fleet_database_round_trip_seconds", "Duration of the last call to the database.",
            worker.roundTrip)
        page.add(.counter, "ferry_fleet_claims_total", "Calls for jobs.", Double(counts.claims))
        page.add(.counter, "ferry_fleet_claimed_jobs_total", "Jobs claimed.", Double(counts.claimedJobs))
        page.add(
            .counter, "ferry_fleet_ended_jobs_total", "Jobs ended by this worker.", label: "outcome",
            JobOutcome.Kind.allCases.map { ($0.rawValue, Double(counts.ended[$0] ?? 0)) })
        page.add(
            .counter, "ferry_fleet_returned_jobs_total", "Jobs given back by this worker.", label: "reason",
            JobReturn.Reason.allCases.map { ($0.rawValue, Double(counts.returned[$0] ?? 0)) })
        page.add(
            .counter, "ferry_fleet_stale_conclusions_total", "Conclusions that came too late.", Double(counts.stale))
        page.add(.counter, "ferry_fleet_rescued_jobs_total", "Jobs taken from lost workers.", Double(counts.rescued))
        page.add(
            .counter, "ferry_fleet_worker_losses_total", "Times that this worker was given up.", Double(counts.losses))
        page.add(
            .counter, "ferry_fleet_failed_deliveries_total", "Deliveries that failed.", Double(counts.failedDeliveries))
        page.add(
            .counter, "ferry_fleet_recognized_deliveries_total", "Files of earlier holders that were found in place.",
            Double(counts.recognizedDeliveries))
        page.add(.counter, "ferry_fleet_delivered_bytes_total", "Bytes delivered.", Double(counts.deliveredBytes))
        page.add(
            .counter, "ferry_fleet_failed_calls_total", "Calls that the database did not answer.",
            Double(counts.failedCalls))
        return page.text
    }
}

/// The figures of the whole fleet, as the database knows them.
///
/// Apart from those of the workers: with many workers the database would count its jobs for each of them.
struct FleetMetrics {
    let status: FleetStatus
    let facts: DatabaseFacts
    let now: Date

    var text: String {
        var page = PrometheusText()
        page.add(
            .gauge, "ferry_fleet_jobs", "Unfinished jobs of the fleet.", labels: ("login", "state"),
            status.tenants.flatMap { tenant in
                [
                    (tenant.name, "waiting", Double(tenant.waiting)), (tenant.name, "running", Double(tenant.running)),
                ]
            })
        page.add(
            .gauge, "ferry_fleet_oldest_waiting_seconds", "Age of the oldest waiting job.",
            status.oldestWaiting.map { now.timeIntervalSince($0.createdAt) } ?? 0)
        page.add(
            .gauge, "ferry_fleet_workers", "Workers of the last day.", label: "state",
            FleetStatus.Worker.State.allCases.map { state in
                (state.rawValue, Double(status.workers.count { $0.state == state }))
            })
        page.add(
            .gauge, "ferry_fleet_idle_workers", "Workers that claim nothing, with a reason in `ferry fleet status`.",
            Double(status.workers.count { $0.condition != nil }))
        page.add(
            .gauge, "ferry_fleet_busy_origins", "Servers that are full or held, at most 100.",
            Double(status.origins.count))
        page.add(
            .gauge, "ferry_fleet_dead_rows", "Rows that the next vacuum removes.", label: "table",
            facts.deadRows.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value)) })
        page.add(
            .gauge, "ferry_fleet_oldest_transaction_seconds", "Age of the oldest open transaction.",
            facts.oldestTransaction?.age ?? 0)
        return page.text
    }
}
