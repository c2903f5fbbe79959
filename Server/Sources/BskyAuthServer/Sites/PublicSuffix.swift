/// Domains below which anyone can have a name. Browsers refuse a cookie for such a domain (RFC 6265 §5.3, step 5).
///
/// These are the usual ones of the list at publicsuffix.org, and not all of its rules.
enum PublicSuffix {
    static func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".").map(String.init)
        return labels.count < 2 || hosting.contains(domain)
            || labels.count == 2 && registries[labels[0]]?.contains(labels[1]) == true
    }

    /// The countries that register names below a label such as `co`.
    private static let registries: [String: Set<String>] = Dictionary(
        uniqueKeysWithValues: table.split(separator: "\n").map { line in
            let words = line.split { $0 == " " || $0 == ":" }.map(String.init)
            return (words[0], Set(words.dropFirst()))
        })

    private static let table = """
        com: ac af ag ai al am ar au aw az ba bb bh bi bj bm bn bo br bs bt by bz ci cm cn co cu cv cw cy dm do dz ec \
            ee eg es et fj fm fr ge gh gi gl gn gp gr gt gu gy hk hn hr ht im in io iq is jo kg ki km kp kw ky kz la \
            lb lc lk lr lv ly mg mk ml mo ms mt mu mv mw mx my na nf ng ni nr om pa pe pf ph pk pl pr ps pt py qa re \
            ro sa sb sc sd sg sh sl sn so ss st sv sy tj tm tn to tr tt tw ua ug uy uz vc ve vi vn vu ws ye zm
        net: ac ae af ag ai al am ar au az ba bb bh bj bm bn bo br bs bt bz ci cm cn co cu cw cy dm do dz ec eg et fj \
            fm ge gg gl gn gp gr gt gu gy hk hn ht id il im in iq ir is je jo kg ki kn kw ky kz la lb lc lk lr ls lv \
            ly ma me mk ml mo ms mt mu mv mw mx my mz nf ng ni nr nz om pa pe ph pk pl pn pr ps pt py qa rw sa sb sc \
            sd sg sh sl so ss st sy th tj tm tn to tr tt tw ua uk uy uz vc ve vi vn vu ws ye za zm
        org: ac ae af ag ai al am ar au az ba bb bh bi bj bm bn bo br bs bt bw bz ci cn co cu cv cw cy dm do dz ec ee \
            eg es et fj fm ge gg gh gi gl gn gp gr gt gu gy hk hn ht hu il im in iq ir is je jo kg ki km kn kp kw ky \
            kz la lb lc lk lr ls lv ly ma me mg mk ml mn mo ms mt mu mv mw mx my mz na ng ni nr nz om pa pe pf ph pk \
            pl pn pr ps pt py qa ro rs rw sa sb sc sd se sg sh sl sn so ss st sv sy sz tj tm tn to tr tt tw ua ug uk \
            uy uz vc ve vi vn vu ws ye za zm zw
        edu: ac af al ar au az ba bb bh bi bj bm bn bo br bs bt bz ci cn co cu cv cw dm do dz ec ee eg es et fm gd ge \
            gh gi gl gn gp gr gt gu gy hk hn ht in iq is it jo kg ki km kn kp kw ky kz la lb lc lk lr ls lv ly me mg \
            mk ml mn mo ms mt mv mw mx my mz ng ni nr om pa pe pf ph pk pl pn pr ps pt py qa rs sa sb sc sd sg sl sn \
            so ss st sv sy tj tm to tr tt tw ua uy vc ve vn vu ws ye za zm
        gov: ac ae af al ar as au az ba bb bf bh bm bn br bs bt by bz cd cl cm cn co cu cx cy dm do dz ec ee eg et fj \
            gd ge gh gi gn gr gu gy hk ie il in iq ir is it jo kg ki km kn kp kw kz la lb lc lk lr ls lt lv ly ma me \
            mg mk ml mn mo mr ms mu mv mw my mz ng nr om ph pk pl pn pr ps pt py qa rs rw sa sb sc sd sg sh sl so ss \
            sx sy tj tl tm tn to tr tt tw ua uk vc ve vn ws ye za zm zw
        mil: ac ae al ar az ba bo br by cl cn co cy do ec eg fj ge gh gt hn id in iq jo kg km kr kz lv mg mv my mz ng \
            ni no nz pe ph pl py qa rw sh st sy tj tm to tr tw tz uy vc ve ye za zm zw
        co: ae ag am ao at bb bi bj bw ci cl cm cr gg gl gy hu id il im in ir it je jp ke kr lc ls ma me mg mu mw mz \
            na ni nz om pn pw rs rw st sz th tj tm tt tz ug uk us uz ve vi za zm zw
        ac: ae at be ci cn cr cy fj gn id il im in ir jp ke kr lk ls ma me mu mw mz ni nz pa pr rs rw se sz th tj tz \
            ug uk vn za zm zw
        or: at bi ci cr id it jp ke kr mu na pw th tz ug us
        ne: jp ke kr pw tz ug us
        go: ci cr id it jp ke kr pw th tj tz ug
        gob: ar bo cl do ec es gt hn mx ni pa pe pk sv ve
        gouv: ci fr ht km ml sn
        gv: ao at
        govt: nz
        gub: uy
        nom: ad ag co es fr km mg nc ni pa pe pl re ro tm ve za
        sch: ae id ir jo lk ly ng qa sa ss zm
        ltd: cy gi lk uk
        plc: ly uk
        me: in it ke so ss tz uk us
        id: au ir lv ly us
        info: au az bb bj bo co ec et fj gu ht hu in ke ki la ls mv na nf ni nr pk pl pr ro sd tn tr tt tz ve vn zm
        biz: az bb cy et fj id in ki ls mv mw my ni nr pk pl pr ss tj tr tt vn zm
        int: ar az bo ci co cv in is la lk mv mw ni pt tj tt ve vn
        name: az eg et fj hr jo mk mv my na ng pr qa tj tr tt vn
        pro: az br cy ec fj ht in mv na om pr tt vn
        web: bo co do gu id lk nf ni pk tj tr ve za
        asn: au lv
        press: cy ma se
        police: uk
        nhs: uk
        school: na nz za
        cri: br nz
        geek: nz
        gen: in nz tr
        kiwi: nz
        maori: nz
        iwi: nz
        health: nz vn
        adv: br mz
        art: br do dz ht sn
        blog: bo br
        tv: bb bo br im in it na sd tr tz
        tm: cy dz fr hu km mc mg no pl ro se za
        conf: au lv
        ind: br gt in kw tn
        nic: in tj za
        firm: co ht in nf ro ve
        store: bb nf ro st ve
        coop: ar br ht in km mv mw py rw tt
        asso: ci dz fr gp ht km mc nc re
        lg: jp ua
        ad: jp
        ed: ao ci cr jp pw
        gr: it jp
        """

    /// Providers whose customers have names below them.
    private static let hosting: Set = [
        "github.io", "gitlab.io", "pages.dev", "workers.dev", "herokuapp.com", "vercel.app", "netlify.app",
        "fly.dev",
        "onrender.com", "deno.dev", "glitch.me", "readthedocs.io", "azurewebsites.net", "cloudapp.net",
        "azurestaticapps.net", "cloudfront.net", "elasticbeanstalk.com", "web.app", "firebaseapp.com",
        "appspot.com",
        "run.app", "blogspot.com", "myshopify.com", "ts.net", "trycloudflare.com", "ngrok.io", "duckdns.org",
        "dyndns.org", "no-ip.org", "hopto.org", "ddns.net", "dedyn.io", "dynv6.net", "freemyip.com",
        "synology.me",
        "myds.me", "us.com", "uk.com", "de.com", "co.com", "eu.org", "gb.net",
    ]
}
