/** The words that courtesies are made of. `Courtesy.ts` finds them; a word that says what is asked belongs in none of these lists. */
import { phrasesOf } from "../text/Phrases.ts"

/**
 * Openings are written at the start of a request, in lower case, longest first within a language. A CJK one needs no space after it.
 * These only wrap what is asked; by themselves they say nothing about whether something is.
 */
export const requests = phrasesOf(`
  i was wondering whether you could|i was wondering if you could|i was wondering whether|i was wondering if|i was wondering
  i would like you to|i would like to know|i'd like you to|i'd like to know|i would appreciate it if you could|i need you to|i want you to
  i have a question about|i have a quick question|i have a question|i need help with|i need some help with|quick question
  would you be so kind as to|would you mind telling me|could you please tell me|could you tell me|can you tell me|can you please tell me
  could you please help me with this|could you please help me|can you please help me|could you help me with this|can you help me with this|could you help me out|help me with this|i would appreciate your help with the following|i'd appreciate your help with the following|i'd appreciate your help|i would appreciate your help|i have the following question|here is my question|my question is|i'm curious|just curious|i need some help|i need help|kindly answer this|please answer this|please answer the following|answer this question|could you answer this|a quick question|one quick question|quick one
  could you help me|can you help me|please help me|please tell me|do you know|please let me know|let me know
  could you please|can you please|would you please|will you please|would you kindly|could you kindly|could you|can you|would you|will you
  if you don't mind|if possible
  please kindly|please|pls|plz|kindly|okay|ok|so|well|um|uh
  könntest du bitte|könnten sie bitte|kannst du bitte|können sie bitte|könntest du|könnten sie|kannst du|können sie|bitte
  pourriez-vous|pouvez-vous|peux-tu|s'il vous plaît|s'il te plaît
  podrías|puedes|podría|por favor
  potresti|puoi|per favore|você poderia|você pode
  kun je|kunt u|alsjeblieft|alstublieft|czy możesz|czy mógłbyś|proszę
  не могли бы вы|можешь|пожалуйста|будь ласка
  lütfen|من فضلك|هل يمكنك|בבקשה|कृपया
  请问|请你|请|麻烦你|お願いします|부탁드립니다
`)

/** These say hello and thank you. */
const greetings = phrasesOf(`
  i hope you are doing well|i hope you're doing well|i hope you are well|i hope this finds you well|hope you are well|hope you're doing well
  thank you in advance|thanks in advance|thank you so much|thank you very much|thank you|thanks a lot|thanks so much|thanks
  good morning|good afternoon|good evening|good day|hello there|hello everyone|hello all|hello again|hello|hi there|hi everyone|hi all|hi again|hi|hey there|hey|hiya|yo|greetings|dear assistant|dear all|dear sir or madam
  how are you doing today|how are you doing|how are you today|how are you|how is it going|how's it going|what's up|nice to meet you
  excuse me|sorry to bother you|sorry
  guten morgen|guten tag|guten abend|hallo zusammen|hallo|danke im voraus|vielen dank|danke
  bonjour|bonsoir|salut|merci d'avance|merci beaucoup|merci
  buenos días|buenas tardes|hola|muchas gracias|gracias
  buongiorno|ciao|grazie mille|grazie|bom dia|boa tarde|olá|oi|obrigado|obrigada
  goedemorgen|goedendag|hoi|dank je wel|dank je|bedankt|dzień dobry|cześć|dziękuję
  здравствуйте|добрый день|привет|спасибо|добрий день|привіт|дякую
  merhaba|selam|teşekkür ederim|teşekkürler|مرحبا|السلام عليكم|شكرا|שלום|תודה|नमस्ते|धन्यवाद
  你好|您好|谢谢|こんにちは|おはようございます|ありがとうございます|すみません|안녕하세요|감사합니다
`)

export const openings = [...requests, ...greetings]

/** Nothing but courtesy when a clause is made of them, and part of what is asked when it goes on otherwise. */
export const wholes = phrasesOf(`
  how do you do|how are you all|how are things|how is everything|how's everything|how is your day|how's your day|how was your day|how have you been|how's life|what's new|what is up|whats up|how's it hanging|long time no see|top of the morning|to whom it may concern|one more thing|one more question|a question|one question|this question|my question|small question|silly question|the following question|all the best|i'd like to ask|i would like to ask|i want to ask|i wanted to ask|may i ask|can i ask|could i ask|let me ask|that would be|it would be|looking forward|are you there|you there|anyone there|anybody there|is anyone there|is anybody there|anyone alive|see you|see ya|talk soon|chat soon|talk to you soon|talk to you later|checking in|some help|your help
  wie geht es dir|wie geht es ihnen|wie geht's|wie gehts|wie läuft's|was geht|alles klar|alles gut|ist da jemand|jemand da|comment allez-vous|comment vas-tu|comment ça va|ça va|quoi de neuf|il y a quelqu'un|qué tal|que tal|cómo estás|como estas|cómo está|cómo están|cómo te va|qué onda|una pregunta|uma pergunta|une question|petite question|eine frage|kurze frage|una domanda|одна просьба|au revoir|à bientôt|mucho gusto|un gusto|un placer|muito prazer|prazer em conhecê|molto piacere|hay alguien ahí|hay alguien
  tudo bem|tudo bom|como vai|como você está|como está|como estás|e aí|tem alguém aí|come va|come stai|come sta|c'è qualcuno|hoe gaat het|jak się masz|co słychać|как дела|как ваши дела|как твои дела|как поживаете|как поживаешь|как жизнь|как ты|есть кто|до встречи|до свидания|як справи|nasılsın|nasılsınız|naber
  كيف حالك|كيف حالكم|كيف الحال|السلام عليكم ورحمة الله وبركاته|وعليكم السلام|מה שלומך|מה נשמע|कैसे हो|कैसे हैं|आप कैसे हैं|कैसी हो|क्या हाल है|مع السلامة|إلى اللقاء|صباح الخير|مساء الخير
  大家好|早上好|上午好|中午好|下午好|晚上好|早安|晚安|嗨|哈喽|哈啰|嘿|在吗|在不在|有人吗|有人在吗|最近怎么样|最近好吗|今天怎么样|今天过得怎么样|过得怎么样|你好吗|您好吗|很高兴认识你|很高兴认识您|很高兴见到你|很高兴见到您|认识你很高兴|明天见|再见|拜拜|回头见|打扰了|打扰一下|不好意思|辛苦了|多谢|非常感谢|十分感谢|谢谢你|谢谢您|谢谢
  こんばんは|おはよう|やっほー|やあ|はじめまして|初めまして|もしもし|お疲れ様です|お疲れさまです|お疲れ様|お世話になっております|お世話になります|よろしくお願いいたします|よろしくお願いします|よろしく|お元気ですか|元気ですか|調子はどうですか|ありがとうございました|ありがとう|また明日|またね|さようなら|おやすみなさい|おやすみ|失礼します|お願いいたします
  안녕|반갑습니다|반가워요|고마워요|고맙습니다|수고하세요|좋은 아침이에요|좋은 아침입니다|좋은 하루 되세요|잘 지내세요|잘 지내
`)

/** As written at the end, without the marks after it. */
export const endings = phrasesOf(`
  thank you very much in advance for your help|thank you in advance for your help|thanks in advance for your help|thank you very much in advance|thank you so much in advance
  thank you for your help|thanks for your help|thank you for your time|thank you so much|thank you very much|thank you in advance|thanks in advance|many thanks in advance
  thank you|thanks a lot|thanks a million|thanks so much|many thanks|thanks|thx|ty|cheers|best regards|kind regards|regards|i appreciate it|much appreciated|i would appreciate your help|any help is appreciated|any help would be appreciated
  i'd really appreciate your help|i'd appreciate it|have a nice day|have a good one|all the best|i appreciate your time|i appreciate your help|have a great day|if you don't mind|if you can|if possible|would be great|that would be great|please help me|please help|please let me know|let me know|please|pls|plz|kindly
  vielen dank im voraus|vielen dank|danke im voraus|danke schön|danke|bitte|merci d'avance|merci beaucoup|merci|s'il vous plaît|s'il te plaît|muchas gracias|gracias de antemano|gracias|por favor|grazie mille|grazie|per favore|muito obrigado|obrigado|obrigada
  bedankt|dank je wel|dank je|alsjeblieft|alstublieft|dziękuję|proszę|спасибо|заранее спасибо|пожалуйста|дякую|будь ласка|teşekkürler|teşekkür ederim|lütfen|شكرا|من فضلك|תודה|בבקשה|धन्यवाद|कृपया
  谢谢你|谢谢您|谢谢|ありがとうございます|お願いします|감사합니다|부탁드립니다
  非常感谢|多谢|感谢|辛苦了|よろしくお願いいたします|よろしくお願いします|お願いいたします|ありがとうございました|ありがとう|고맙습니다|고마워요
`)

/** What a word does in a clause that is nothing but courtesy. */
export const FILLER = 0
/** One of these makes it a courtesy. */
export const COURTEOUS = 1
/** As `COURTEOUS`; a name may follow: “Dear Ms. Ito,”. */
export const SALUTES = 2
/** As `COURTEOUS`; a name may follow the clause: “Kind regards, Ana”. */
export const SIGNS = 3
/** Makes a courtesy of a day or a meeting: “nice weekend”, “good to see you”. */
export const WISHES = 4
/** Courteous after a word that wishes, and at the start of a short clause: “Evening all”. */
export const WISHED = 5
/** Courteous after a word that wishes: “happy Monday”. */
export const DAYS = 6
/** Courteous after another courtesy: “Hello, it's me.” */
export const PERSONAL = 7
/** Before a name: “Dear Ms. Ito,”. */
export const TITLE = 8
/** Who speaks. */
export const SELF = 9
/** As `COURTEOUS`, but as a whole message only of somebody: “I hope”, “a moment of your time”; “moment” alone asks what one is. */
export const HOPES = 10
/** As `HOPES`; a name may follow. */
export const DEAR = 11
/** As `COURTEOUS`, but it makes no courtesy of a whole message: “more, please”. */
export const PLEASE = 12

/** Without apostrophes. Of several languages at once: a clause in two of them is still a courtesy. */
const words: ReadonlyArray<readonly [role: number, text: string]> = [
  [
    COURTEOUS,
    `howdy yo sup gm gn bye goodbye farewell welcome congratulations congrats ty tia sorry pardon
    apologies apologise apologize thankful grateful appreciate appreciated obliged
    entschuldigung entschuldige entschuldigen verzeihung dankbar
    tschüss ciao kennenzulernen kennenlernen nett moin servus tach hallöchen na grüezi hey heyo heya
    coucou allô enchanté enchantée ravi ravie excusez pardon désolé désolée
    remercie
    encantado encantada disculpe disculpa perdón adiós
    oi olá oie desculpe desculpa tchau beleza alô
    salve scusa scusi arrivederci
    хай хей рад рада приятно заранее благодарю извините простите
    пока доброго доброй доброе добрый добрых хорошего хорошей
    नमस्कार हेलो हैलो हाय शुभ शुक्रिया अलविदा मिलकर
    أهلا اهلا وسهلا هاي صباح مساء طاب عزيزي تحية فضلك سمحت`
  ],
  [
    SALUTES,
    `hi hello hey heyo heya hiya greetings hallo geehrte geehrter geehrtes bonjour bonsoir salut chers
    chères hola estimado estimada estimados estimadas prezado prezada prezados prezadas caros buongiorno
    buonasera
    привет здравствуйте здравствуй уважаемый уважаемая уважаемые नमस्ते مرحبا أهلا`
  ],
  [
    SIGNS,
    `thanks thank thx thankyou cheers regards rgds sincerely faithfully cordially wishes yours danke vielen grüße grüßen grüsse gruß
    gruss merci cordialement salutations gracias saludos obrigado obrigada abraço abraços atenciosamente att cumprimentos grazie
    saluti спасибо уважением शुक्रिया धन्यवाद شكرا تحياتي`
  ],
  [
    WISHES,
    `good nice great lovely wonderful happy pleasant fine beautiful amazing fantastic awesome relaxing merry productive rest guten
    gute guter schönen schöne schönes frohe frohes bon bonne joyeux buen buena buenos buenas feliz bom boa ótimo ótima buona buon`
  ],
  [
    WISHED,
    `morning afternoon evening night
    morgen abend nacht nachmittag journée soirée nuit matinée
    tarde tardes noche noches noite soir giornata serata notte`
  ],
  [
    PERSONAL,
    `you your youre yours me u ur ya there everyone everybody everything things today team all folks guys friend friends buddy mate pal sir madam maam
    colleague colleagues assistant ai bot chatbot chatgpt gpt claude helper world class dir ihnen euch vous toi usted ti você vocês te вы вам ты тебе आप आपका اليوم zusammen kollegen amigos equipe equipo коллеги друзья`
  ],
  [
    DAYS,
    `day days week weekend monday tuesday wednesday thursday friday saturday sunday year christmas holidays see hear talk chat chatting
    tag woche wochenende jahr année día días semana dia fim jour`
  ],
  [SELF, "i my im id ive we our mir ich wir nous je me jai moi mi нам мне я мы"],
  [
    HOPES,
    `appreciation excuse hope hopefully hoping hopes wish wishing bother bothering trouble disturb disturbing interrupt favor favour mind help
    helping assist assistance wondering wonder curious meet meeting pleasure glad advance moment permission testing checking helfen
    hilfe hoffe hoffen wünsche wünschen störung voraus bald freut freue aide aider bientôt revoir déranger espère jespère avance
    davance maider laide gusto placer ayuda ayudarme ayudar molestia duda espero antemano prazer ajuda ajudar incomodar desde já
    piacere aiuto aiutarmi disturbo anticipo знакомству познакомиться беспокойство помогите помощь помочь встречи свидания надеюсь मदद
    سعيد سعيدة اللقاء السلامة مساعدة خير الخير`
  ],
  [DEAR, "dear liebe lieber liebes cher chère querido querida caro cara gentile gentili дорогой дорогая"],
  [PLEASE, "please pls plz kindly bitte svp stp plaît"],
  [TITLE, "mr mrs ms dr prof herr frau madame monsieur señor señora senhor senhora professor doctor"],
  [
    FILLER,
    `us lets it its this that these those here is are am was were be been being will would could can may might
    shall should do does did doing dont didnt have has had having get getting go going coming come passing stopping stop drop
    dropping popping pop say saying said a an the and or but so as at by for from in into of off on out over to up with if when whenever
    while because then than not no too very much really just only also still again once first more most any anyone anybody one some something anything
    someone somebody all every two bit little lot lots many few couple ton million patient last next quick quickly small simple short tiny silly dumb stupid basic
    tomorrow tonight now soon later already yet always ever time times minute minutes second sec chance possible new well okay ok
    safe question questions query best people support group class community teacher kind kindest warm warmest care way hand look looking forward seeing hearing
    talking know think tell ask asking answer answering reply respond response responding following below need want like love find finds
    found health spirits message patience attention effort efforts understanding consideration being such much give rush hurry
    worries worry stay great lifesaver legend guidance kindness generous generosity joining able guess believe r yall folk world
    late early forgive happen happens wise while shift handover call side end far away yeah yep right
    da mal kurz nur sehr eine einen ein kleine kleiner schnelle hätte wäre wenn sie es so und mit in für auf zum bei von
    der die den das damen herren zusammen team kollegen kolleginnen kollege freund freunde freundin leute gut heute noch freundlichen freundliche
    besten beste herzliche herzlichen könnten könntest können kannst würde würden geht allen allerseits euer ihre ihr deine dank schön
    danken mich freuen später bis dann auch doch ein wenig moment ganz
    de du d des le la les un une à au et en pour par votre vos ton tes tous tout monde ami amis amie messieurs
    mesdames beaucoup mille si il sil plait serait possible petite petit rapide aurais avoir ai que allez vas va bien passez passe excellente
    excellent collègues pouvez pourriez peux faire connaissance salue donc ici
    el los las y con por favor su tu muy muchas todos todas amigo amiga amigos que esté estés estén bien cordial cordiales reciba un una
    conocerte conocerle conocerlo poder podría podrías puede puedes tengo una para este esta hasta luego pronto mañana equipo
    o os as e do da em no na com você contigo seu sua tudo bem conhecê conhecer lo la uma pode poderia por muito pela pelo que esteja bem
    até logo mais amanhã só aqui passando pra dar um obrigado turma equipe amigo amigos pessoal gente espero senhores
    a di il gli per il tuo suo ti può puoi potresti potrebbe mille bene spero stia una tutti amico amici
    день дня утро утра вечер вечера ночи ночь всем вас вам ваш ваша за с со и у все всё хорошо коллеги друзья друг очень большое
    могли бы можете не вы ли есть один одна небольшой небольшая до скорой буду если
    जी अच्छा लगा हो हैं है दिन प्रभात रात्रि संध्या बहुत आपसे से करें मेरी एक का की के दोस्त दोस्तों सभी को
    بك بكم لك لكم جزيلا يومك يوم النور إلى مع من لو على وبعد طيبة صديقي جميعا ليلة ليلتك مساؤك نهارك كل`
  ]
]

/** Of scripts without spaces, in a clause that is nothing but courtesy, longest first. */
export const denseFillers = phrasesOf(`
  今天|吗|呀|啊|哦|哈|呢|吧|了|的|愉快|祝你|祝您|祝|生活|工作|顺利|一天|度过|美好|你|您|大家|各位|朋友|早|好|感谢|帮忙|帮助|请|再
  また|いつも|どうも|どうぞ|ども|元気|です|ます|でした|か|ね|よ|皆さん|みなさん|今日は|調子|どう|明日|いい天気|良い一日を|先生
  만나서|여러분|오늘|기분|어때요|어떠세요|잘|지내세요|지냈어요|하루|되세요|선생님|친구
`).toSorted((a, b) => b.length - a.length)

/** What each word does; the first list that has it counts. */
export const roles: ReadonlyMap<string, number> = new Map(
  words
    .flatMap(([role, text]) => text.split(/\s+/).map((word) => [word, role] as const))
    .filter(([word]) => word !== "")
    .toReversed()
)
