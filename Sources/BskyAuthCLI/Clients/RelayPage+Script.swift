extension RelayPage {
    /// The one script of the page.
    ///
    /// The address is text of an attacker: anyone can make a link to the page. So the script takes four parameters by
    /// name, checks every character of them, and encodes them anew. It shows no other text of the address than the
    /// host of the issuer and the line to copy. The only place that it leads to is the listener on this computer.
    ///
    /// It navigates. A request from the page would need the browser's permission for the local network.
    static let script = #"""
        'use strict'
        const allowed={
          code:/^[ -~]{1,2048}$/,
          state:/^(?:([1-9]\d{3,4})\.)?[\w-]{22,2042}$/,
          iss:/^https?:\/\/[a-z\d.:[\]-]{1,255}$/,
          error:/^[ !#-[\]-~]{1,2048}$/
        }
        const element=id=>document.getElementById(id)
        const portOf=answer=>Number(allowed.state.exec(answer.get('state'))[1]??0)
        const isPort=port=>port===0||port>1023&&port<65536

        function read(text){
          const given=new URLSearchParams(text),answer=new URLSearchParams()
          for(const name in allowed){
            const values=given.getAll(name)
            if(values.length>1||values.some(value=>!allowed[name].test(value)))return null
            if(values.length===1)answer.set(name,values[0])
          }
          if(!answer.has('state')||!answer.has('code')&&!answer.has('error'))return null
          return isPort(portOf(answer))?answer:null
        }

        function show(part){
          for(const section of document.querySelectorAll('section'))section.hidden=section.id!==part
        }

        function copy(){
          element('line').select()
          const say=text=>{element('copied').textContent=text}
          const byHand=()=>say('The line is selected. Copy it with the keyboard.')
          if(!navigator.clipboard)return byHand()
          navigator.clipboard.writeText(element('line').value).then(()=>say('Copied.'),byHand)
        }

        function leave(target){
          const stay=()=>{clearTimeout(timer);element('soon').hidden=true}
          const timer=setTimeout(()=>{stay();location.assign(target)},1000)
          for(const act of ['pointerdown','click','focusin','selectstart'])addEventListener(act,stay)
          element('soon').hidden=false
        }

        function hand(answer,line,isNew){
          const port=portOf(answer),target=`http://127.0.0.1:${port}/callback?${answer}`
          element('line').value=line
          element('copy').onclick=copy
          if(answer.has('iss')){
            element('host').textContent=answer.get('iss').split('/')[2]
            element('from').hidden=false
          }
          if(port){
            element('continue').href=target
            element('here').hidden=false
            if(isNew)leave(target)
          }
          show('answer')
        }

        function start(){
          const address=location.origin+location.pathname
          const found=[location.hash,location.search].map(part=>part.slice(1))
            .find(part=>new URLSearchParams(part).has('state'))
          const answer=read(found??history.state?.answer)
          history.replaceState(answer&&{answer:`${answer}`},'',address)
          addEventListener('hashchange',()=>location.reload())
          if(answer)hand(answer,`${address}?${answer}`,found!==undefined)
          else show('refused')
        }

        if(window.top===window)start()
        else document.body.textContent='Open this page in a tab of its own.'
        """#
}
