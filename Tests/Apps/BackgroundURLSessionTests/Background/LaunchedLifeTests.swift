import Testing

@testable import FerryURLSession

@Suite struct `The life of a launched process` {
    @Test func `57 ends once its handlers were called and its tasks have ended`() {
        var life = LaunchedLife(isBackground: true)
        #expect(!life.ends(isQuiet: true), "nothing was to be done yet")
        let call = life.calledToHandleEvents(of: "s")
        let task = life.beganTask()
        #expect(task != BackgroundApplication.BackgroundTaskIdentifier.invalid.rawValue)
        let isFirst = life.completed(call)
        #expect(isFirst && !life.ends(isQuiet: true))
        let (ended, again) = (life.endedTask(task), life.endedTask(task))
        #expect(ended && !again && life.ends(isQuiet: true) && !life.ends(isQuiet: false))
    }

    @Test func `57 goes on once it has become active`() {
        var life = LaunchedLife(isBackground: true)
        _ = life.completed(life.calledToHandleEvents(of: "s"))
        life.becameActive()
        #expect(!life.ends(isQuiet: true))
    }
}
