// Downloads one URL and prints the file's path. Stopped midway and started again, it resumes the download.
// Usage: FirstDownload URL

import Ferry
import Foundation

let manager = SessionManager("first", configuration: SessionConfiguration())
manager.download(CommandLine.arguments[1])?
    .progress { task in print(task.progress.fractionCompleted, task.speedString) }
    .completion { task in
        print(task.status, task.filePath)
        exit(task.status == .succeeded ? 0 : 1)
    }
RunLoop.main.run()
