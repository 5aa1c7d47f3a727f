import Benchmark
import FerryAPI
import FerryCore
import FerryStore
import Foundation

/// One event as it goes over the socket.
func eventBenchmarks() {
    let record = Sample.record(1)
    let event = TransferEvent(
        number: 1, kind: .succeeded, at: Sample.moment, id: record.id, session: record.request.session,
        transfer: Transfer(record, live: .running(received: 1 << 20, expected: 1 << 30, speed: 1e8)))

    Benchmark("event-to-json") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(try APIJSON.bytes(event)) }
    }
    Benchmark("event-from-json") { benchmark in
        let data = Data(try APIJSON.bytes(event))
        for _ in benchmark.scaledIterations { blackHole(try APIJSON.decoder.decode(TransferEvent.self, from: data)) }
    }
}
