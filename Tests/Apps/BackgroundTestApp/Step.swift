/// A step of the app, written `name` or `name=argument`.
///
/// | step | effect |
/// |---|---|
/// | `run` | uses `BackgroundApplication.run(delegate:)` |
/// | `register=STEPS` | registers this program with its session and these steps, separated by commas, as the launch command |
/// | `session` | opens the session, as does every step that needs it |
/// | `discretionary`, `no-launch-events` | configures the session; comes before it is opened |
/// | `create=URL`, `download=URL`, `data=URL` | makes a task; `download` and `data` resume it |
/// | `upload=URL FILE` | uploads a file |
/// | `bytes=ID N` | waits until the task has received N bytes |
/// | `resume=ID`, `suspend=ID`, `cancel=ID` | resumes, suspends or cancels the task |
/// | `cancel-data=ID FILE` | cancels the task and writes the resume data to a file |
/// | `continue=FILE` | makes and resumes a task from resume data |
/// | `tasks` | logs all tasks |
/// | `completions=N` | waits until N tasks have completed |
/// | `completed=ID` | waits until the task has completed |
/// | `events-finished` | waits for `urlSessionDidFinishEvents` |
/// | `active` | becomes active |
/// | `store=FOLDER N` | stores N responses in a cache of 4 MiB, and logs each hundredth |
/// | `look=FOLDER N` | looks up N such responses, and logs how many are stored and how many of them are wrong |
/// | `exit` | exits the process |
/// | `exit-in-completion` | exits the process inside the first `didCompleteWithError` |
/// | `no-handler` | never calls a completion handler |
struct Step {
    let name: String
    let words: [String]

    init(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        name = String(parts.first ?? "")
        words = parts.count > 1 ? parts[1].split(separator: " ").map(String.init) : []
    }
}
