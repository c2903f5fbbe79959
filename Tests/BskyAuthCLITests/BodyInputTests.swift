import ATProto
import Covers
import Foundation
import JSON
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
        ])
    func mediaType(path: String, method: String, expected: String) throws {
        #expect(BodyInput.mediaType(of: path, for: try NSID(validating: method)) == expected)
    }

    @Test("every method of the public lexicons that takes no JSON is known, and no other", .covers("X7"))
    func lexicons() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/lexicons.json")
        let methods = try JSONParser.parse(Array(try Data(contentsOf: file)))["methods"]?.object?.members
        let inputs = try #require(methods).compactMap { method in
            method.value["input"]?.string.map { (method.name, $0) }
        }.filter { $0.1 != "application/json" }
        #expect(inputs.count == BodyInput.otherInputs.count)
        for (name, type) in inputs {
            #expect(
                BodyInput.otherInputs[name] == (type == "*/*" ? "application/octet-stream" : type), "\(name)")
        }
    }
}
