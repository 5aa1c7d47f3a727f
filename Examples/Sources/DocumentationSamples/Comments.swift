// Samples from the doc comments of managers and requests.

import Ferry
import Foundation

func film() {
    let manager = SessionManager("movies", configuration: SessionConfiguration())
    manager.download("https://example.org/film.mp4")?
        .progress { print($0.progress.fractionCompleted) }
        .success { print($0.filePath) }
}

func place(_ url: URL, into folder: URL, with manager: SessionManager) {
    manager.download(url) { temporary, response in
        (folder.appendingPathComponent(response.suggestedFilename ?? "file"), [.removePreviousFile])
    }
    .response { print($0.destinationURL?.path ?? "no file", $0.error ?? "no error") }
}
