import ATPNetworking
import CCurl
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport of the app's own, with Foundation.
package struct PlainTransport: HTTPTransport {
    private let policy: NetworkPolicy
    private let session: URLSession

    package init(policy: NetworkPolicy) {
        self.policy = policy
        session = URLSession(configuration: .ephemeral, delegate: NoRedirects(), delegateQueue: nil)
    }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if let refusal = policy.refusal(of: request.url) {
            throw TransportError(.refused(refusal), requestWasSent: false)
        }
        guard let url = URL(string: request.url.description) else {
            throw TransportError(.unavailable, requestWasSent: false)
        }
        var sent = URLRequest(url: url)
        sent.httpMethod = request.method.rawValue
        sent.setValue(String(cString: client_app_user_agent()), forHTTPHeaderField: "user-agent")
        for field in request.headerFields {
            sent.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        switch request.body {
        case .none: break
        case .bytes(let bytes): sent.httpBody = Data(bytes)
        case .stream:
            throw TransportError(.bodyUnreadable, requestWasSent: false, detail: "streams are not sent")
        }
        do {
            // In a task that is never cancelled: on Linux, `data(for:)` can wait for itself for ever when it is cancelled.
            let (body, response) = try await Task { [sent] in try await session.data(for: sent) }.value
            guard let response = response as? HTTPURLResponse else {
                throw TransportError(.connectionLost, requestWasSent: true)
            }
            return TransportResponse(
                status: response.statusCode, headerFields: fields(of: response),
                body: ResponseBody([UInt8](body)))
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.connectionLost, requestWasSent: true, detail: "\(error)")
        }
    }

    private func fields(of response: HTTPURLResponse) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let name = HTTPField.Name(name), let value = value as? String
            else {
                continue
            }
            fields[name] = value
        }
        return fields
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
