// An app that downloads in the background. Kill it midway: the daemon finishes the download and launches the app again
// for the file.
//
//     swift run Relaunched https://example.org/large.bin ~/Downloads

import BackgroundURLSession

BackgroundApplication.shared.run(delegate: Downloader())
