internal import FoundationEssentials
internal import Hummingbird

extension BackendRoutes {
    func addPages(to router: Router<ServerContext>) {
        router.get("/") { _, _ in Response(seeOther: "/accounts") }
        router.get("/accounts") { request, _ in
            let found: SessionBook.Found
            do { found = try await browser(request, changes: false).found } catch let problem
                as Problem
                where problem.status == .unauthorized
            {
                return Response(seeOther: "/login")
            }
            let grant = try await sessions.extendIfAged(found)
            let session = grant?.session ?? found.session
            var rows: [Pages.Row] = []
            for entry in session.accounts {
                rows.append(
                    Pages.Row(
                        id: entry.id, name: await name(of: entry), did: entry.did,
                        isActive: entry.id == session.active))
            }
            var response = Response(Pages.accounts(rows), appName: configuration.appName)
            if let grant { give(grant, to: &response) }
            return response
        }
        router.post("/accounts") { request, _ in
            let holder = try await browser(request, changes: true)
            let fields = try await request.form()
            if fields == ["everywhere": "ask"] {
                guard let active = holder.found.session.activeEntry else { throw Problem.noActiveAccount }
                return Response(
                    Pages.everywhere(await name(of: active)), appName: configuration.appName)
            }
            let grant = try await change(holder, fields)
            var response = Response(seeOther: grant == nil ? "/login" : "/accounts")
            give(grant, to: &response)
            return response
        }
    }

    /// What a page calls an account.
    private func name(of entry: AppSession.Entry) async -> String {
        await sessions.accounts.handle(of: entry.id).map { "@\($0)" } ?? entry.did
    }

    /// Does what a button of the page says.
    private func change(
        _ holder: Holder, _ fields: [String: String]
    ) async throws -> Sessions.Grant? {
        let found = holder.found
        switch fields.first.map({ ($0.key, $0.value) }) {
        case ("switch", let text)?:
            guard let account = UUID(uuidString: text) else { throw Problem.noSuchAccount }
            return try await sessions.activate(account, in: found)
        case ("logout", let text)?:
            guard let account = UUID(uuidString: text) else { throw Problem.noSuchAccount }
            let grant = try await sessions.logOut(account, of: found)
            await audit(.logout, found.session.accounts.first { $0.id == account }, holder)
            return grant
        case ("everywhere", _)?:
            let grant = try await sessions.logOutEverywhere(from: found)
            await audit(.logoutEverywhere, found.session.activeEntry, holder)
            return grant
        case ("all", _)?:
            try await sessions.logOutAll(of: found)
            for entry in found.session.accounts { await audit(.logoutAll, entry, holder) }
            return nil
        default: throw Problem(.badRequest, "invalid_request", "The form can't be read.")
        }
    }
}
