import Ferry

/// A logger that says nothing: standard output belongs to the story.
struct Quiet: Logable {
    let identifier = "quiet"
    var option = LogOption.none

    func log(_ type: LogType) {}
}
