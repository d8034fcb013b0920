/**
 * Words of everyday talk, by language: pronouns, articles, verbs and what people say most. Written for this project. `own` are such words of
 * a language. `shared` are those of the other lists that are words of this language, too, whatever they mean in it. They were found once
 * with the spelling dictionaries of LibreOffice (hunspell, as in Debian 12), so a word that either list has shows no other language.
 */
export interface EverydayWords {
  readonly own: string;
  readonly shared: string;
}

export const everydayWords: Readonly<Record<string, EverydayWords>> = {
  en: {
    own: `
    the and you that this what with for are not have was but they your his her she him them there here when where why who how would could should can don
    isn didn know think want need tell said come going get good well very much more never always nothing something someone everything please thank thanks
    yes today tomorrow yesterday night morning mother father brother sister house door time life friend man woman people child children water money work
    right wrong about after before because into from been being has had were our their these those if then than to of it we my me in on at is be do did
    does just like one two three old new big little long still again over out up down see look take give make find leave love believe understand remember
    happened only other another any some all every first last really maybe sorry hello let re hand eyes head name room car`,
    shared: `
    agora ai al ale alt ami amigo antes argent as att auto av avoir bambino barn ben bio bola bolo bra brat bueno canto cap casa chez chi chose ciao co
    com comment con credo dag dank dat de deg del den der di dice die dig din dine diners dir dire dit dobro dom dona donna dos dove eau el ell ells els
    em en encore end ens er era es esse est et fa facer far fare femme fer fill fils fino fins folk geld gens gent gi gran grand gut ha haar hade ham hast
    hat hay he heel hem hen hi ho hoe hombre home hon hoy hun idem imam ind inn ja jag jo kind kinder kola la lang lei li lo loin longe ma main mama mamma
    mange mare mas med meg men mene mere mes met mi mig min mine mir mitt moi molt mon morgen mu muller muss mutter ne nee nit no nog nom non nos nous nu
    och od om op opp ora os oud oui ova padre par para pare pas per petit piccolo plus polo pot pour pred pro quant quarto res rom rum saber sans saps
    seine sem sen sense sent si sim sin ska so soba solo som son sou soy stanza stor sutra ta tack tam tempo temps ten tens ter testa ti til till ton tot
    tots tout travail tutti twee um us ut van var vas venter vet vi vie vil vita vo voiture vol vols war wat weer will wo ya yo`,
  },
  de: {
    own: `
    der die das und ich nicht ist sie ein eine einen einem einer mit auf für dass wir ihr mir mich dir dich ihn ihm uns euch sein seine mein meine dein
    deine hat habe haben hast war waren wird werden wurde kann können muss müssen soll will wollen möchte weiß wissen sagen gesagt gehen kommen machen gut
    sehr mehr nie immer nichts etwas jemand alles bitte danke ja nein heute morgen gestern nacht mutter vater bruder schwester haus tür zeit leben freund
    mann frau leute kind kinder wasser geld arbeit richtig falsch über nach vor weil aus von zum zur bei wenn dann als noch schon auch nur oder aber doch
    wer wie wo warum wann hier dort jetzt wieder andere keine kein viel ganz zwei drei alt neu groß klein lange warten glaube verstehe vielleicht leid
    hand augen kopf name zimmer auto`,
    shared: `
    all aller altre andre bedankt brat chi da dank de dem den des du er es esse et faire filmen finde hebt her in je just lang las last leger los man niet
    per plus prima pro quer sei so still tage tot tu um van wachten was willen worden`,
  },
  es: {
    own: `
    el la los las un una unos unas que de del en con por para no es está están estoy eres soy somos son era fue ha han he hay como pero más muy yo tú él
    ella ellos nosotros usted ustedes me te se nos lo le les mi mis tu tus su sus qué quién cómo cuándo dónde cuánto este esta esto ese esa eso aquí ahí
    allí ahora siempre nunca nada algo alguien todo todos también sólo porque cuando donde si sí hacer hace tener tengo tiene tienes puedo puede quiero
    quiere quieres saber sé sabes decir dice dijo ir voy va vamos ver bien bueno gracias hola adiós hoy mañana ayer noche día madre padre hermano hermana
    casa puerta tiempo vida amigo hombre mujer gente niño hijo agua dinero trabajo después antes desde hasta sin sobre otra otro mismo creo entiendo
    recuerdo quizás siento hablar lejos cerca pequeño grande viejo nuevo demasiado todavía ya mano ojos cabeza nombre habitación coche`,
    shared: `
    acredito al ale ali ami anche ancora anden ano aquella aquesta ara are as ata até auto av be ben ble bol bola bolo can cando canto cap car carro ce
    cela cele ces che come cosa credo cuarto da dan das den der des di din dina dir do dom don dona dopo dos ele eles elle elles encara et fa facer far
    faz fer filmen fino fra ge germana gran grand has her home hui huis hunden iba in is ja je ji jo ju kan leven liten lle loro machen mama man mas mene
    menina menino meno mere mes mesmo mesto mina mine mio mir moja moje mor more mu ne nen nena ni non novo ola onde op ora os ova ovo par parce pare
    parlar parlare pela pelo perché plus pode podo pola polo porta porte prima pro puno qui re res rúa sen ses so soba solo sur ta tamo tato tell tempo
    ten ter tes testa ti time to toda ton tusen té une unes uno vado vais van vas ve ved vello ven vente vi vil vita vol voz yes za zullen zum`,
  },
  pt: {
    own: `
    os as um uma uns umas que de do da dos das em no na nos nas com por pelo pela para não está estão estou és sou somos são era foi há como mas mais
    muito eu tu ele ela eles nós você vocês me te se lhe meu minha meus minhas teu tua seu sua quem quando onde quanto este esta isto esse essa isso aqui
    aí ali lá agora sempre nunca nada algo alguém tudo todos também só porque sim fazer faz ter tenho tem tens posso pode quero quer queres saber sei
    sabes dizer diz disse ir vou vai vamos ver bem bom obrigado obrigada olá adeus hoje amanhã ontem noite dia mãe pai irmão irmã casa porta tempo vida
    amigo homem mulher gente menino filho água dinheiro trabalho depois antes desde até sem sobre outra outro mesmo acho acredito entendo lembro talvez
    falar longe perto pequeno velho novo demais ainda já coisa então mão olhos cabeça nome quarto carro choveu toda menina rua`,
    shared: `
    agua ai ale ancora ano ara are ata auto bambino bola bolo canto cela cerca chi coche come cosa cousa credo danas dei demasiado der dine dobar dobre
    dobro does dom dona donde dopo encara finde fino fins for grande hasta hui ide idem imos is jamais la las lei li lo los ma madre mama mano massa mi
    mia miei mina mine mio mor more má más nego nu ola ora ova ovo padre par pare parlar per pero peva podo polo porte preto prima pro puno recordo rum
    sai sais sento ses si soba solo som some sono sopra suo sé ta tato tento testa ti til to todo tá una unas une unes unha unhas uno vais vem vi vil voz
    vás`,
  },
  ca: {
    own: `
    el la els les un una uns unes que de del dels en amb per no és està estan estic ets sóc som són era ha han he hi com però més molt jo tu ell ella ells
    nosaltres vostè em et es ens us ho li meu meva teu teva seu seva què qui quan on quant aquest aquesta això aquell aquella aquí allà ara sempre mai res
    algú tot tots també només perquè si sí fer fa tenir tinc té tens puc pot vull vol vols saber sé saps dir diu va anar vaig anem veure bé bon gràcies
    hola adéu avui demà ahir nit dia mare pare germà germana casa porta temps vida amic home dona gent nen fill aigua diners feina després abans des fins
    sense sobre altra altre mateix crec entenc recordo potser sento parlar lluny petit gran vell nou massa encara ja llavors cosa mà ulls cap nom
    habitació cotxe`,
    shared: `
    acredito adeus ai ako al ale ali all aller allí als alt alí ami amigo ancora any après argent as ata até aus auto av avant avere barn be bei ben bio
    ble bo bol bola bolo cabeça can canto car carro ce cela cele cerca ces chi come con credo creo da dag dan dans das dat dei dem di din dina dine dit do
    dom don dopo dos du ela ele eles elles entendo eres essa esse est eu fai far filmen fils fino folk fra frau ge gens ham has haus hem hennes his hui
    hun ili imam ir is just kan las ma mama mamma man mano mas me men mene meno mer mere mes met meus mi mia mig min mina mine mir mis mon mor muller na
    nada nas nat ned nego nena neu ni nie noc noi nombre nos not nous nu nós om ona onde ora os par para parler pas pela pelo penge piccolo plus pode podo
    polo por porque porte prima pro quarto quer quere queres quero radi re robí rom rua sa sabes salut sans se sedi sem sent ses so soldi soll solo son
    sono sorella sou sua suo ta tam tato te tell tem tempo ten ter tes testa til to ton tous trop tudo tus up ut van var vas ve ved ven vente venter ver
    vet vi vie viem vil vita xa ça`,
  },
  gl: {
    own: `
    os as un unha uns unhas que de do da dos das en no na nos nas con por polo pola para non está están estou es son somos era foi hai como pero máis moi
    eu ti el ela eles nós vostede me te se lle meu miña meus miñas teu túa seu súa quen cando onde canto este esta isto ese esa iso aquí aí alí agora
    sempre nunca nada algo alguén todo todos tamén só porque si facer fai ter teño ten tes podo pode quero quere queres saber sei sabes dicir di dixo ir
    vou vai imos ver ben bo grazas ola adeus hoxe mañá onte noite día nai pai irmán irmá casa porta tempo vida amigo home muller xente neno fillo auga
    cartos traballo despois antes desde ata sen sobre outra outro mesmo creo entendo lembro quizais falar lonxe preto pequeno vello novo aínda xa cousa
    entón man ollos cabeza nome cuarto coche choveu toda nena rúa`,
    shared: `
    acho acredito af agua ai ako al ale ali all als alt amb ami ancora and anden ano any ara are at att até auto av be been bei bem bez big bij bil bio
    ble bok bol bola bolo bom bon bra but byl can cap car carro ce cela cele ceo cerca ces cet che chi ci co com come cosa credo dag dan danas deg dei del
    della delle dels dem demais demasiado den der des dia did die dig din dina dir dit diu diz dobre dobro doen does don dona donna dopo du ele ell els
    encara encore end enn eso est et ets ett fa far faz fer filmen fino fins first folk for forse fra from fue für ga gde gli gracias gran grande gut ha
    habitación had ham han har has hasta hat hay he heb hem her hi hij ho hoe how hoy hui hun hur hus iba ich ide ik iko ili ils ima ime in ind inn io is
    isn ist it ja jak jeg jen jer kan kde kdy ko kto la las le lei lep lepa les let leute leven li liv lo long loro los lui ma madre mai mais mama mano
    mare mas med men mer mere mes mesto met mi mia miei mig mij min mina mine mio mir mis mit moj mon mor more muito muy my mye má más nat ne ned nee nego
    nei nej nel nen ner neu new ni nie nit niño noc noe nog noi nom not nou nu nur ny obrigada obrigado och of old om on ona one oni ons ont op ora oss
    oui ova ovo padre par pare parlar pas pela pelo people per po porte pot pour pre prima pro puc puno quarto quella quer qui quizás re recordo res rom
    rum sa sam samo sans see sem sento ses she sie sim sin ska sme smo so soba solo som some sono sopra sou soy ste su sua sur sus sve sé ta taj tak
    talvez tam tato tem tento testa the tid til to ton tre tu tua tuo tus tutti two ty té uma una unas und une unes uno us ut va vamos van var vas ve ved
    vem ven vente vi vie vil vo voda vol von vor voz war was wat wer wie wij wil wir with wo yes yo za zal zum`,
  },
  it: {
    own: `
    il lo la gli le un uno una che di del della dei delle in nel nella con per non sono sei siamo era stato ha hanno ho hai ci come ma più molto io tu lui
    lei loro noi voi mi ti si vi mio mia miei tuo tua suo sua chi quando dove quanto questo questa quello quella qui lì ora adesso sempre mai niente nulla
    qualcosa qualcuno tutto tutti anche solo perché se sì fare fa avere posso può puoi voglio vuole vuoi sapere so sai dire dice detto andare vado va
    andiamo vedere bene buono grazie ciao addio oggi domani ieri notte giorno madre padre fratello sorella casa porta tempo vita amico uomo donna gente
    bambino figlio acqua soldi lavoro dopo prima da fino senza sopra altra altro stesso credo capisco ricordo forse dispiace parlare lontano vicino
    piccolo grande vecchio nuovo troppo ancora già cosa allora mano occhi testa nome stanza macchina`,
    shared: `
    ai al ali alt altre ami ano ara are auto be bei ben bila bilo bitte bo bolo bé cando canto carro ce cela cerca creo de detta dette dia dina dine dir
    disse do don dona donde down ella elle end es essa esse est et fai far folk fra germana gran han idem ili ima imam imati ime isso izba know li liv
    look love là mais mali mamma man mare massa me men mene menino meno merci mere mesto mina mine mir more ne nego nei nena niet nit no nous nouveau novo
    od ola on onde onte op out pappa par para pare parlar pela pelo pero però plus po polo por porte pro quarto radi raditi re rom rum sa sedi sento sie
    sin some son stari su sutra svi sé tam te tebe tener tengo tento tiene time ton tot toto tout traballo tre ud une up vai van ve vello vie ville water`,
  },
  fr: {
    own: `
    le la les un une des et que de du en dans avec pour par ne pas est es suis sommes sont était ont ai as il elle ils elles nous vous je tu on me te se
    lui leur mon ma mes ton ta tes son sa ses qui quoi comment quand où combien ce cette cet ces ça ici là maintenant toujours jamais rien quelque quelqu
    tout tous aussi seulement parce si oui non faire fait avoir peux peut veux veut savoir sais sait dire dit aller vais va allons voir bien bon merci
    bonjour salut aujourd hui demain hier nuit jour mère père frère sœur maison porte temps vie ami homme femme gens enfant fils eau argent travail après
    avant depuis jusqu sans sur autre même crois comprends souviens être désolé parler loin près petit grand vieux nouveau trop encore déjà chose alors
    mais plus très comme chez main yeux tête nom chambre voiture`,
    shared: `
    aber about after agora al ale algo anar anche antes ara are auto av barn be ben bene big bila bio bitte bol but cap car casa cela chi ci ciao coche
    com con credo dag dan das dei der dette dia die disse do dom don donna dort dos esse este eu fa far fer fins foi folk for gent gente giorno good
    gracias grande ha han hans hast have hello hem hi ho hombre home house huis hvad ide idem if imam in ko kola lange las lei let li like long longe look
    love maar mai mali mama man mange mare mas massa mer met meus mi min mina mine mir mis mit moi more mu mye na new ni nie no nombre nome nos nu onde op
    os oud out outra ovo para pare pela people perché piccolo po polo porque porta pot prima pro quant quarto qué re rom rua sein seine sen sent sin sobre
    solo sono sou su sua sus sutra tell tempo tenir ter testa toto tua tus tutti té ud unes uns us ut vad van var vas vente venter ver vida vil ville vol
    vols`,
  },
  nl: {
    own: `
    de het een en ik niet is zij ze hij jij je wij we jullie mij me hem haar ons hen hun mijn jouw zijn was waren heb hebt heeft hebben had wordt worden
    kan kunnen moet moeten zal zullen wil willen weet weten zeggen gezegd gaan ga komen doen goed heel veel meer nooit altijd niets iets iemand alles
    alsjeblieft bedankt dank ja nee vandaag morgen gisteren nacht moeder vader broer zus huis deur tijd leven vriend man vrouw mensen kind kinderen water
    geld werk over na voor omdat uit van naar bij als dan nog al ook maar of toch wie wat hoe waar waarom wanneer hier daar nu weer andere geen dit dat
    deze die met op te om twee drie oud nieuw groot klein lang wachten geloof begrijp misschien spijt hand ogen hoofd naam kamer auto`,
    shared: `
    af agora ai ale all aller allons alt amigo ara arbeid are as at ata avant bambino been ben bene big bil bio bok bol bola bom bon bonjour bra brat but
    canto cap ces chi chose ciao co comme con credo da dag dans das dei dein del den der des det di dia diners do dobro doch does dom don donna door dort
    dos dove down du déjà eau el els encore end enfant ens er era es est et ets etter fa faire fait far femme filmen first folk forse fra gammel ge get
    grand grande gut ha ham han hans har have her ho hola home house hus idem ikke il imam immer in io jak jen jour ju just já kola kommen kommer kunde
    kunne la lange las last leger lei leid lep les let leur leute li like long look los lui lá ma mais make mama mamma mand mare massa meg men mer merci
    mes mi mia min mina mine mis molt money mor more mu muller nada name nas nat ne nel neu never new nicht no noch noen nom non not nou nous nouveau och
    old on ont os out pappa par para pare pas people per petit peut piccolo plus po polo por pot pre prima pro quant quarto que re res richtig rien right
    room rum sagen salut sans se sein sem sen sense sier sim sister ska so solo som son sorry sou stanza suis sus tak take tam tem tempo ten ter tes the
    these ti til time to ton tot toto tout tu tutti té ud und up va var vatten ven venter ver vet vie viel vieux vil vita vlak vo voiture vol vols von
    vous want war wasser werden wieder wissen wo wollen wrong yes yo zwei`,
  },
  da: {
    own: `
    jeg du han hun den det vi de mig dig ham hende os jer dem min mit mine din dit dine sin hans hendes og er ikke en et på til med for af fra var har
    havde bliver blev kan kunne skal skulle vil ville ved må siger sagde går gå kommer gør gøre godt meget mere aldrig altid noget nogen ingenting intet
    alt tak ja nej dag morgen nat mor far bror søster hus dør tid liv ven mand kvinde folk barn børn vand penge arbejde om efter før fordi ud ind op ned
    når så end endnu også men eller hvem hvad hvordan hvor hvorfor hvornår her der nu igen anden andre ingen denne dette to tre gammel ny stor lille længe
    vente tror forstår måske undskyld hvis sige tage give finde hånd øjne hoved navn værelse bil mange ses sent barnet leger hunden filmen venter`,
    shared: `
    aber after agora al ale algo alles als altre altro and antes ara as at av avec ben bene bien big bila bilo bitte ble bo bol bom bon bonjour brat broer
    but byla bylo canto cap ces chambre chi ciao como could credo da dan danas dans das dat del della delle dels des deur did die diners dir disse do dom
    donna dos el elle elles els em enfant ennå ens entendo eres es esse ets etter fa faire fare fer fillo fils find finne fins forse friend from gens
    gesagt gestern gi gran grand grande gut ha had hade has hast hat haus have he head hen henne hermana hi hier his ho house ide idemo il ils ima imam
    immer in inte into ir is isn isso isto it jag jako jo just kanske kind kinder ko kolik kommen kunde kunnen la lang lange las last le leben lei lembro
    les let leven li like lo longe look los love mama mamma man mare mas mene mer mes mi mir mis mislim mismo mon more mu muller mutter my nada nas nejsem
    netko ni niko nit non nos not nouveau novo nulla nå od oder of old on onde ons ora out ova over ovo par pare pas per perto petit piccolo please plus
    pode polo porta porte pot prima pro quizais re really recordo res rien rom rum sagen salut sans se sem sen sense sento si sier ska so soba sobre solo
    som sommes son still sur sus svi tam te tempo ten tens ter tes the ti time todo todos ton tot toto tots tout trop tus tutti ty tête und understand vad
    vader van vas vater vatten ve vello very veure videti vidjeti vie vita von vor vy yes`,
  },
  no: {
    own: `
    jeg du han hun den det vi dere de meg deg ham henne oss dem min mitt mine din ditt dine sin hans hennes og er ikke en et på til med for av fra var har
    hadde blir ble kan kunne skal skulle vil ville vet må sier sa går gå kommer gjør gjøre godt bra veldig mye mer aldri alltid noe noen ingenting alt
    takk ja nei dag morgen natt mor far bror søster hus dør tid liv venn mann kvinne folk barn vann penger arbeid jobb om etter før fordi ut inn opp ned
    når så enn ennå også men eller hvem hva hvordan hvor hvorfor her der nå igjen annen andre ingen denne dette to tre gammel ny stor liten lenge vente
    tror forstår kanskje unnskyld hvis si ta gi finne hånd øyne hode navn rom bil tusen ses sent barnet leker hunden filmen venter`,
    shared: `
    aber ai al ale ali all aller alles altra altre and anden andra ara are at att aus auto avec be being ben bene bien bila bitte blev bliver bo bok bol
    bola bom bon bonjour bruder canto cap casa co con credo da další dank danke dann dans dass dat del dels des dečak deň dia die dieťa dir disse dit do
    dom don dona donna dort dove doći drei een efter einer ela ele eles ell ella elle elles end ens ese essa esse est este ets ett fait fare femme fins
    forse frau from ga gammal gli gran grand grande gut ha hai hand has hast hasta hat haus have he head hem hen hende hendes het hi hier his hitta ho
    hola home homme house hoved hoću hui ide idem il imam intet is isn ist ići jag jak jo jour još just klein know kola kommen kto kunde kunnen kuća
    kvinna la lang lange las last le leger lei leid lep les let leven li like lille lo longe los love mai mais make mamma man mange mare mas meget mein
    meine mene mensen mere met mig mina mis mit molto mon more možda može možno možná muller mutter nat ner never ni nič ništa nogen nom nome non nos not
    nouveau nu nulla oder old onde ora os over padre pai pappa par para pare parler pas penge per petit pode pola polo pot pre prečo prima pro proč quarto
    re reka res reći reč rien right rua ruka sagde sagen sans savoir se sei sein seine sen seva sećam sige siger ska sobre soll solo som son sont sorry
    sou ste still su sua sur sus sutra sve svi tak tam tačno te tell tem tempo ter tes testa teva teď ti tiene tiež till time ton toto tout točno troppo
    tua tutti tvůj ty vad vader vai van vand vas vater vatten ve ved vell ven već veľký vida videćeš vidět vie vieš vill vita vol von vor værelse water
    čas či čo čovek čovjek ďakujem ďaleko ďalší ľudia řekl říct říká šta što ťa že želi želim želiš žena život žurka žurke`,
  },
  sv: {
    own: `
    jag du han hon den det vi ni de mig dig honom henne oss er dem min mitt mina din ditt dina sin hans hennes och är inte en ett på till med för av från
    var har hade blir blev kan kunde ska skulle vill ville vet måste säger sa går gå kommer gör göra bra väldigt mycket mer aldrig alltid något någon
    ingenting allt tack ja nej dag morgon natt mor mamma far pappa bror syster hus dörr tid liv vän man kvinna folk barn vatten pengar arbete jobb om
    efter före därför ut in upp ner när så än ännu också men eller vem vad hur varför här där nu igen annan andra ingen denna detta två tre gammal ny stor
    liten länge vänta tror förstår kanske förlåt att som säga ta ge hitta hand ögon huvud namn rum bil ses sent barnet leker hunden filmen väntar`,
    shared: `
    aber al ale all als alt anar and anden andre as avec be ben bila bio bliver bo bok bom bon bonjour brat canto credo dan danas dank dans dass deg del
    dels denne di dia dit dom don dona donna dos el els ens era esse est et etter fait fils finne for from gens gent get gran grand ha has hast hasta hat
    hem hen het ho house ide il ils imam intet is it jak jo jour ju just kind kinder ko kola kolik kommen la las last le lekar leven like lille lo look
    los make mas massa mensen mes moj mu muller mutter må ned nit nog nos not nå når onde ont opp os otro par para per piccolo plus polo por porta prima
    pro reka res rom sagde salut sam sans se sen si sim skal so sobre solo son still sur sus tak take tam te tempo temps ter tes testa ton tu tusen tutti
    ty ulls uns va vader van vand vann vas ve ved ven vida vita von vy`,
  },
  cs: {
    own: `
    že se si je jsem jsi jsme jste jsou byl byla bylo není nejsem ne ano já ty on ona my vy oni mě mi tě ti ho mu ji nás vás můj moje má tvůj tvoje jeho
    její co kdo kde kdy jak proč kolik ten ta to tento tato toto tady tam teď vždy vždycky nikdy nic něco někdo všechno všichni taky také jen protože když
    jestli dělat dělá mít mám máš můžu může chci chce chceš vědět vím víš říct říká řekl jít jdu jde vidět dobře dobrý děkuji díky ahoj dnes zítra včera
    noc den matka otec bratr sestra dům dveře čas život přítel muž žena lidé dítě děti voda peníze práce pro po před od do bez na ve další jiný stejný
    myslím rozumím pamatuji možná promiň mluvit daleko malý velký starý nový příliš ještě už ale nebo jako než ruka oči hlava jméno pokoj auto věřím`,
    shared: `
    agora al alt ara are bene bij bil bila bilo bio bok bol bon car cela cele celu che chi dag dat de del dem der dere dia dobro don dona dort du enfant
    es esa eso fa far folk grand ha had hade ham han has her hi hode hola hon house hus in jej jer jo just kamer kola koliko kruh la las lep les let li lo
    los love machen majka man mano mas mať med met min mina mine mis molto mor more možno much muzika nach napraviti nazvati nemám ni niko nit nitko nič
    no non nos not novo nu och oder onde op oprosti os par para parce pare pas per pero petit plus pode pojedeš polo porta porte posle pot prima raditi
    reka robí rum sada samo sem sen senza ses sin skal soba sólo taj tak tebe tem tempo these točno trop troppo tu táto té tú um unes unos vad vado van
    var vater vedere ven vet vida vil vita vlak vol von vor vous voz vrata za zdravo ze zrak či`,
  },
  sk: {
    own: `
    že sa si je som sme ste sú bol bola bolo nie nemám áno ja ty on ona my vy oni ma mi ťa ti ho mu ju nás vás môj moja tvoj tvoja jeho jej čo kto kde
    kedy ako prečo koľko ten tá to tento táto toto tu tam teraz vždy nikdy nič niečo niekto všetko všetci tiež iba pretože keď či robiť robí mať mám má
    máš môžem môže chcem chce chceš vedieť viem vieš povedať hovorí povedal ísť idem ide vidieť dobre dobrý ďakujem vďaka ahoj dnes zajtra včera noc deň
    matka mama otec brat sestra dom dvere čas život priateľ muž žena ľudia dieťa deti voda peniaze práca pre po pred od do bez na vo ďalší iný rovnaký
    myslím rozumiem pamätám možno prepáč hovoriť ďaleko malý veľký starý nový príliš ešte už ale alebo než ruka oči hlava meno izba auto verím`,
    shared: `
    agora al alt and ara are argent as at ata bambino bene big bil bila bilo bo bok bom bon bé canto cap cela cele celu chambre chci che chi ci co com dag
    dan dat de del denne der des det detto die dobro doch don dona donna door dopo down drie du dve el en end ens es esa ese eso est et fa far fare folk
    for from get grand ha habe had ham has he hem hen het hi hier hijo his hode hola hon honom how hus há ich in ind io is isti isto it jak jen jer joj
    jour just já know kola kruh la lei lep les let los love lá maar make mali mamma man mange mare med mene menina menino mer mes mesto met min mina mine
    moje mor more možná muzika más nach name ne nebo ned nej never new ni niet nit no non nos novo ny och oder of one op oprosti os oss out over padre par
    para pare pas per pero petit plus podo pokoj pola polo por porta porte pot preto prima práce radi re res reč rom rum sada salut sam samo se sem sen
    senza sie sin so soba son stari stesso stor svet sólo ta taj tak taky také tato tebe tempo testa that the tiene ton trop troppo tvoje té tú um und
    unes up ut van var ved ver vet vi vie vil vlak von vor voz vždycky was wat with za zdravo ze zrak és être želi`,
  },
  hr: {
    own: `
    da se je sam si smo ste su bio bila bilo nije nisam ne ja ti on ona mi vi oni me mene te tebe ga mu ju joj nas vas moj moja moje tvoj tvoja njegov
    njezin što tko gdje kada kako zašto koliko taj ta to ovaj ova ovo ovdje tamo sada uvijek nikad nikada ništa nešto netko sve svi također samo jer ako
    li raditi radi imati imam ima imaš mogu može hoću želim želi želiš znati znam znaš reći kaže rekao ići idem ide vidjeti dobro dobar hvala bok danas
    sutra jučer noć dan majka otac brat sestra kuća vrata vrijeme život prijatelj muškarac žena ljudi dijete djeca voda novac posao za po prije od do bez
    na drugi isti mislim razumijem sjećam možda oprosti govoriti daleko mali veliki stari novi previše još već ali ili nego lijepo ruka oči glava ime soba
    auto vjerujem vlak tjedan zrak glazba sretan sretna svijet mjesto mjesec čovjek riječ rijeka dvije poslije lijep lijepa cijeli cijelo cijelu cijela
    djevojka nedjelja pjesma pjeva pjevati vjerovati liječnik nitko itko točno kruh pojesti nazvati zabave zabava lipanj vidjet dječak sjedi ponedjeljak
    obitelj uopće puno otvoriti napraviti doći`,
    shared: `
    algo algú alt alí ara are as be ben bene bij bol bola bolo bon but bé cap car ci com danke dat de dere di din dina dine dobre dom don dona donde du
    dvere dónde em era es fer fino fordi germà ha had hade hat hi hode hola há idemo isto izba izvini jak jako jen ji já kan kanske kažem košta la las le
    les let leute liv los love là lá lì ma mama mange mano mare med mig mina mine mir mit more muž mà má mít môj môže nada nat nebo neko nemám ni nit njen
    no nos novo nás nós om one os otro otvorim par para pare pas pero però petit plus pode pojedeš pokoj pola polo porodica porta porte pozoveš pred prečo
    prima père robí rum sa sige sin solo som some sur sé sì sí sólo sú tak take také tato tempo ten testa til time ton tre trebalo trop très tu tvoje tá
    táto té tú ud um uma unos van var vida vita vol von vás zdravo és čas`,
  },
  sr: {
    own: `
    da se je sam si smo ste su bio bila bilo nije nisam ne ja ti on ona mi vi oni me mene te tebe ga mu ju joj nas vas moj moja moje tvoj tvoja njegov
    njen šta ko gde kada kako zašto koliko taj ta to ovaj ova ovo ovde tamo sada uvek nikad nikada ništa nešto neko sve svi takođe samo jer ako li raditi
    radi imati imam ima imaš mogu može hoću želim želi želiš znati znam znaš reći kaže rekao ići idem ide videti dobro dobar hvala zdravo danas sutra juče
    noć dan majka otac brat sestra kuća vrata vreme život prijatelj muškarac žena ljudi dete deca voda novac posao za po pre od do bez na drugi isti
    mislim razumem sećam možda izvini govoriti daleko mali veliki stari novi previše još već ali ili nego lepo posle ruka oči glava ime soba kola verujem
    voz nedelja vazduh muzika srećan srećna svet mesto mesec čovek reč reka dve lep lepa lepi ceo cele celu cela devojka pesma peva pevati verovati lekar
    niko iko tačno hleb pojedeš pozoveš žurke žurka videćeš dečak sedi ponedeljak porodica uopšte košta idemo kažem otvorim trebalo`,
    shared: `
    aber agora ai ale algo alt amigo ara are as at ata auf auto av be bene bij bil ble bo bok bol bola bolo bom bon but can cap car ce danke dat de del
    dere deti di dina dine dobre dom don dona donde doći du dvere el em era es fa far fare fer fino folk for fra ge gent gut ha habe ham han has hat he
    her here hode hola ind ist isto izba jak jen kan kanske kinder la les let leute like lipanj liv los love ma mama mano mare med meno mere meva mig mij
    mina mine mio mir mis mismo mit more muž nada napraviti nebo ni nit no non nos novo nu om onde one op oprosti ora os otro otvoriti par para pare pas
    pela pelo pero petit plus pode pokoj pola polo ponedjeljak porta porte pot pred prima pro puc razumijem rum sa salut sans sapere sem sen sent seva
    sige sin sjećam ska sme so solo som some sono sur tak tato tempo ten ter testa the til time ton trop tu tvoje ud um uma una une unos van var vida vita
    vo zabava zum čas što`,
  },
  uk: {
    own: `
    та що не на ти він вона воно ми ви вони мене мені тебе тобі його йому її нас нам вас вам мій моя моє твій твоя свій хто де коли як чому скільки цей ця
    це той тут там зараз тепер завжди ніколи нічого щось хтось все всі також тільки бо якщо чи робити робить мати маю має маєш можу може хочу хоче хочеш
    знати знаю знаєш сказати каже сказав йти йду йде бачити добре добрий дякую привіт сьогодні завтра вчора ніч день мама тато брат сестра будинок двері
    час життя друг чоловік жінка люди дитина діти вода гроші робота для по до від без зі про після перед інший такий думаю розумію пам ятаю мабуть вибач
    говорити далеко малий великий старий новий надто ще вже але або ніж був була було так ні рука очі голова ім кімната машина вірю`,
    shared: `
    говорить его ей ему знать маленький мне мужчина но об он оно от после потому прости то уже хороший`,
  },
  ru: {
    own: `
    что не на ты он она оно мы вы они меня мне тебя тебе его ему её ей нас нам вас вам мой моя моё твой твоя свой кто где когда как почему сколько этот
    эта это тот здесь там сейчас теперь всегда никогда ничего то всё все также только потому если ли делать делает иметь есть могу может хочу хочет хочешь
    знать знаю знаешь сказать говорит сказал идти иду идёт видеть хорошо хороший спасибо привет сегодня завтра вчера ночь день мать отец брат сестра дом
    дверь время жизнь друг мужчина женщина люди ребёнок дети вода деньги работа для по до от без об после перед другой такой думаю понимаю помню наверное
    прости говорить далеко маленький большой старый новый слишком ещё уже но или чем был была было да нет рука глаза голова имя комната машина верю`,
    shared: `
    великий вона вони де добре зараз знати коли мама маю мене ми про робота сказав та так той тут час як`,
  },
};
