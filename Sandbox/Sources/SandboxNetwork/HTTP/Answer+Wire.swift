import HTTPTypes
import HummingbirdCore
import NIOCore

extension Answer {
    /// Thrown to make the server close the connection in the middle of an answer.
    struct ConnectionCut: Error {}

    /// Writes the answer. A HEAD request gets only the head.
    func write(to writer: consuming ResponseWriter, headOnly: Bool) async throws {
        var headers = headers
        if headers["content-length"] == nil, let length = contentLength {
            headers["content-length"] = String(length)
        }
        let head = HTTPResponse(status: .init(code: status), headerFields: headers.httpFields)
        guard !headOnly, status != 204, status != 304 else {
            try await writer.writeResponse(head)
            return
        }
        try await writer.write(response: head, body: responseBody)
    }

    private var contentLength: Int? {
        switch body {
        case .none: 0
        case .bytes(let bytes), .drip(let bytes, _, _): bytes.count
        case .buffers(let buffers): buffers.reduce(0) { $0 + $1.readableBytes }
        case .filler(let count): count
        case .cut(_, let promised): promised
        }
    }

    private var responseBody: ResponseBody {
        switch body {
        case .none:
            return ResponseBody()
        case .bytes(let bytes):
            return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .buffers(let buffers):
            return ResponseBody(contentsOf: buffers)
        case .filler(let count):
            return ResponseBody(contentLength: count) { writer in
                let piece = ByteBuffer(repeating: UInt8(ascii: " "), count: 65_536)
                var left = count
                while left > 0 {
                    try await writer.write(
                        piece.getSlice(at: 0, length: min(left, piece.readableBytes)) ?? piece)
                    left -= piece.readableBytes
                }
                try await writer.finish(nil)
            }
        case .cut(let bytes, let promised):
            return ResponseBody(contentLength: promised) { writer in
                try await writer.write(ByteBuffer(bytes: bytes))
                throw ConnectionCut()
            }
        case .drip(let bytes, let size, let pause):
            return ResponseBody(contentLength: bytes.count) { writer in
                for start in stride(from: 0, to: bytes.count, by: max(size, 1)) {
                    try await Task.sleep(for: pause)
                    try await writer.write(
                        ByteBuffer(bytes: bytes[start..<min(start + max(size, 1), bytes.count)]))
                }
                try await writer.finish(nil)
            }
        }
    }
}
