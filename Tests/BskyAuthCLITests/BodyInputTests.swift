import ATPJSON
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("BodyInput") struct BodyInputTests {
    @Test(
        "the media type is that of the name, else the one that the method takes",
        arguments: [
            ("a/photo.JPG", "com.atproto.repo.uploadBlob", "image/jpeg"),
            ("-", "com.atproto.repo.uploadBlob", "application/octet-stream"),
            ("v1.2/clip", "app.bsky.video.uploadVideo", "video/mp4"),
            ("/dev/stdin", "com.atproto.repo.importRepo", "application/vnd.ipld.car"),
            ("-", "com.atproto.repo.putRecord", "application/json"),
            ("a.json", "com.atproto.repo.uploadBlob", "application/json"),
            ("a.xyz", "com.atproto.repo.putRecord", "application/octet-stream"),
            ("captions.vtt", "com.atproto.repo.uploadBlob", "text/vtt"),
        ])
    func mediaType(path: String, method: String, expected: String) throws {
        #expect(BodyInput.mediaType(of: path, for: try NSID(validating: method)) == expected)
    }

    @Test(
        "where neither name nor method tells, the content does",
        arguments: [
            ("\u{89}PNG\r\n\u{1a}\n....", "image/png"), ("\u{ff}\u{d8}\u{ff}\u{e0}", "image/jpeg"),
            ("GIF89a", "image/gif"), ("RIFF....WEBPVP8 ", "image/webp"), ("....ftypavif", "image/avif"),
            ("....ftypheic", "image/heic"), ("....ftypqt  ", "video/quicktime"),
            ("....ftypisom", "video/mp4"),
            ("RIFF....WAVE", nil), ("\u{89}PNG", nil), ("{}", nil), ("", nil),
        ])
    func content(start: String, expected: String?) throws {
        let bytes = start.unicodeScalars.map { UInt8($0.value) }
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-body-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let body = try BodyInput(file.path)
        let upload = try NSID(validating: "com.atproto.repo.uploadBlob")
        #expect(body.mediaType(of: "-", for: upload) == expected ?? "application/octet-stream")
        #expect(body.mediaType(of: "a.xyz", for: upload) == expected ?? "application/octet-stream")
        #expect(body.mediaType(of: "a.gif", for: upload) == "image/gif")
        #expect(
            body.mediaType(of: "-", for: try NSID(validating: "com.atproto.repo.putRecord"))
                == "application/json")
    }

    @Test("every method of the public lexicons that takes no JSON is known, and no other", .covers("X7"))
    func lexicons() throws {
        let inputs = try Vectors.methods().compactMap { method in
            method.value["input"]?.string.map { (method.name, $0) }
        }.filter { $0.1 != "application/json" }
        #expect(inputs.count == BodyInput.otherInputs.count)
        for (name, type) in inputs {
            #expect(
                BodyInput.otherInputs[name] == (type == "*/*" ? "application/octet-stream" : type), "\(name)")
        }
    }
}
