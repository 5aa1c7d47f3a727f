import FerryCore
import FerryFleet
import Testing

/// Calls to the daemon and to the queue that are lost or refused.
@Suite struct `An agent whose calls fail` {
    @Test func `a list that was read after a lost submission changes nothing that an event has said since`() {
        var bed = AgentBed.with(AgentBed.lease())
        for look in bed.looks { bed.take(.looked(look.key, nil)) }
        bed.answerCalls()
        #expect(bed.submitted.count == 1)
        let active = bed.transfer(.active(received: 5, expected: 6))
        bed.take(.changed(bed.transfer(.failed(ServiceError(.notFound, "Gone.")))))
        bed.take(.submissionLost([AgentBed.key.token], [active]))
        bed.answerCalls()
        #expect(bed.ended.map(\.outcome.kind) == [.failed])
    }

    @Test func `submits a job again that the daemon does not have after a lost submission`() {
        var bed = AgentBed.with(AgentBed.lease())
        for look in bed.looks { bed.take(.looked(look.key, nil)) }
        bed.answerCalls()
        bed.take(.submissionLost([AgentBed.key.token], []))
        #expect(bed.submitted.count == 2)
        bed.take(.submissionLost([AgentBed.key.token], [bed.transfer(.active(received: 5, expected: nil))]))
        #expect(bed.submitted.count == 2)
    }

    /// It joins each time, so joining proves nothing.
    @Test func `joins again ever more rarely while a call fails each time`() {
        var bed = AgentBed.with()
        var joins = 0
        while bed.now < 60 {
            bed.now += 0.1
            bed.take(.alarm)
            while let call = bed.call {
                if case .join = call { joins += 1 }
                if case .claim = call {
                    bed.fail()
                } else {
                    bed.answerCall()
                }
            }
        }
        #expect((5...40).contains(joins), "\(joins) joins in a minute")
    }

    @Test func `tells the queue the other ends if one is refused, and that one later`() {
        let (first, second) = (AgentBed.key(1), AgentBed.key(2))
        var bed = AgentBed.with(AgentBed.lease(first), AgentBed.lease(second))
        bed.refused = [first]
        bed.fetch()
        for key in [first, second] {
            bed.take(.changed(bed.transfer(.failed(ServiceError(.notFound, "Gone.")), of: key)))
        }
        bed.answerCalls()
        #expect(bed.agent.heldJobs.map(\.key) == [first])
        let told = bed.ended.count
        bed.pass(25)
        #expect(bed.ended.count == told, "it was told again at once")
        bed.refused = []
        bed.pass(10)
        #expect(bed.agent.heldJobs.isEmpty)
    }
}
