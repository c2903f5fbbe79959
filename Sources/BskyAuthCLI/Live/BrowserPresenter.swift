internal import ATPNetworking
internal import ATPPlatform
internal import BskyAuthCore
internal import OAuthDPoP

/// Shows the authorization page: prints the URL, opens a browser if the machine has one, and prompts for the redirect
/// URL, because the browser may be on another machine.
struct BrowserPresenter: BrowserOpener {
    let console: Console
    let isDisabled: Bool
    let browser: BrowserCommand
    let mayAsk: Bool
    let pastePrompt = PastePrompt()

    func present(_ prompt: AuthorizationPrompt, to pending: LoginInProgress) async {
        console.say("sign in at \(prompt.issuer.description.escapedForTerminal):")
        console.insist(prompt.url.description)
        let isStarted = isHere && open(prompt)
        if browser.isRemote, !prompt.usesPage {
            console.say(
                "if your browser is on another machine, run this there first:\n"
                    + "  ssh -N -L \(prompt.port):127.0.0.1:\(prompt.port) \(browser.sshTarget)")
        }
        guard mayAsk, let terminal = Terminal.open(), terminal.isForThisJob else {
            return console.say(
                isStarted
                    ? "waiting for the browser; to cancel, press Ctrl-C"
                    : "open the URL in a browser on this machine; waiting for the browser")
        }
        // A command that was started may have shown no page, or one whose browser can't reach this machine.
        if isStarted { console.say("waiting for the browser; if no page opened, open the URL yourself") }
        pastePrompt.start(at: terminal, for: pending)
    }

    /// Whether a browser is opened on this machine.
    var isHere: Bool { !isDisabled && !(browser.isRemote && browser.command == nil) }

    /// Starts the browser. Its command is split into words and run without a shell.
    private func open(_ prompt: AuthorizationPrompt) -> Bool {
        let url = prompt.url.description
        guard var words = browser.words else { return false }
        guard !words.isEmpty else {
            console.say("the browser command is not valid: it is empty or has an unclosed quote")
            return false
        }
        if words.contains(where: { $0.contains("%s") }) {
            words = words.map { $0.replacing("%s", with: url) }
        } else {
            words.append(url)
        }
        do {
            let child = try ChildProcess.start(words, environment: browser.environment)
            reportFailure(of: child, named: words[0])
            return true
        } catch let error {
            console.say(
                "\(words[0].escapedForTerminal) can't be started (\(error.reason)); open the URL yourself")
            return false
        }
    }

    /// Says that the browser command failed. A command that works for longer has opened the page.
    private func reportFailure(of child: Int32, named name: String) {
        Task {
            guard let ending = await ChildProcess.failure(of: child, within: .seconds(10)) else { return }
            let how =
                switch ending {
                case .exited(let status): "failed with exit status \(status)"
                case .signalled(let signal): "was ended by signal \(signal)"
                case .timedOut, .interrupted: "was ended"
                }
            pastePrompt.interrupt {
                console.say("\(name.escapedForTerminal) \(how); if no page opened, open the URL yourself")
            }
        }
    }
}
