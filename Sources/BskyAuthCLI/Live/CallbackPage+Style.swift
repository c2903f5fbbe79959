extension CallbackPage {
    /// The one style sheet, light and dark: the system's font, text at a contrast of 4.5 to 1 or more, and
    /// nothing wider than the window.
    static let style = """
        :root{color-scheme:light dark;--page:#f3f4f7;--card:#fff;--line:#dfe2e8;--ink:#16191f;--soft:#555c69;\
        --green:#157347;--green-tint:#dff3e7;--grey:#4a5261;--grey-tint:#e8eaef;--red:#b3261e;--red-tint:#fce4e2;\
        --blue:#1a5fc8;--blue-tint:#e1ecfd;font:16px/1.5 system-ui,sans-serif;color:var(--ink);\
        background:var(--page)}
        @media(prefers-color-scheme:dark){:root{--page:#101216;--card:#191c22;--line:#2c313b;--ink:#eef0f4;\
        --soft:#a8afbc;--green:#63d699;--green-tint:#15352a;--grey:#bcc3cf;--grey-tint:#2b303a;--red:#ff9a90;\
        --red-tint:#43201f;--blue:#8ab8ff;--blue-tint:#1a2d4b}}
        body{box-sizing:border-box;min-height:100vh;margin:0;padding:1rem;display:flex;flex-direction:column;\
        align-items:center;justify-content:center}
        main{box-sizing:border-box;width:100%;max-width:28rem;padding:2.25rem 1.75rem;border:1px solid var(--line);\
        border-radius:1rem;background:var(--card);text-align:center;overflow-wrap:anywhere}
        svg{width:3.5rem;height:3.5rem}
        .outline{fill:var(--tint);stroke:var(--tint);stroke-width:4;stroke-linejoin:round}
        .sign{fill:none;stroke:var(--sign);stroke-width:4;stroke-linecap:round;stroke-linejoin:round}
        .signed-in{--sign:var(--green);--tint:var(--green-tint)}
        .declined{--sign:var(--grey);--tint:var(--grey-tint)}
        .failed{--sign:var(--red);--tint:var(--red-tint)}
        .waiting{--sign:var(--blue);--tint:var(--blue-tint)}
        .waiting .sign{stroke-width:5.5}
        h1{margin:1rem 0 .5rem;font-size:1.3rem;line-height:1.3;text-wrap:balance}
        p{margin:0;color:var(--soft);text-wrap:balance}
        p+p{margin-top:.5rem}
        footer{margin:1rem 0;color:var(--soft);font-size:.8rem;letter-spacing:.02em}
        """
}
