import FerryCore

/// Decides whether a response is a web page where another file was requested, such as a login page.
package enum WebPageRule {
    /// - Parameters:
    ///   - name: The name that the caller gave, or the last part of the caller's URL.
    ///   - hasLogin: Whether the caller gave credentials or cookies for the URL, or a redirect led to another host. A
    ///     page is then unexpected for every name that does not say that the file is one.
    package static func isUnexpected(_ head: ResponseHead, name: String, hasLogin: Bool) -> Bool {
        guard isPage(head.value("Content-Type")) else { return false }
        let name = name.lowercased()
        if let attachment = head.value("Content-Disposition"), pages.contains(where: attachment.lowercased().contains) {
            return false
        }
        if pages.contains(where: name.hasSuffix) { return false }
        let suffix = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? ""
        return hasLogin || files.contains(suffix)
    }

    private static let pages = [".html", ".htm", ".xhtml", ".shtml", ".mht"]
    /// Extensions of files that are no pages. Others, as in `/wiki/Node.js`, may belong to the name of a page.
    private static let files = Set(
        """
        zip gz tgz bz2 tbz xz txz zst lz4 7z rar tar iso img qcow2 vmdk dmg pkg deb rpm apk ipa exe msi appimage flatpak \
        snap run bin jar whl gem crate nupkg pdf epub djvu ps csv tsv xlsx docx pptx parquet npz npy nc nc4 h5 hdf hdf5 \
        he5 grib grb2 fits root bam vcf fastq fasta safetensors gguf onnx ckpt tif tiff jpg jpeg png gif webp mp3 flac \
        ogg opus wav m4a mp4 m4v mkv avi mov webm ts mpg sqlite db bz sig asc sha256 sha512 torrent
        """.split(separator: " "))

    private static func isPage(_ type: String?) -> Bool {
        let type = (type ?? "").prefix { $0 != ";" }.lowercased().trimmingFieldSpace
        return type == "text/html" || type == "application/xhtml+xml"
    }
}
