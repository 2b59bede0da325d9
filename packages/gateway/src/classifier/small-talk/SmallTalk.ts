/**
 * Short messages that ask for nothing: greetings, thanks, goodbyes, praise. Unlike other follow-ups they don't go on with the task before
 * them. Only what consists of nothing else counts; "ok", "yes" and "please" are no closing by themselves.
 */
import { Predicate } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { phrasesOf } from "../text/Characters.ts"

// Short follow-ups, such as "yes" or "continue", say nothing of how hard the task is that they go on with. Any text as short counts.
const MOST_WORDS = 6
const MOST_CHARACTERS = 40
/** Characters of scripts that say about three letters' worth each. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g
const DENSE_WEIGHS = 3
/** Beyond this nothing is looked at: blanks around a word are no reason to read a megabyte. */
const NEVER_FROM = 1_000

/** Whether a message is too short to be a task of its own, once a conversation is under way. */
export const isShort = (prompt: string): boolean => {
  if (prompt.length >= NEVER_FROM) return false
  const text = prompt.trim()
  if (text.length > MOST_CHARACTERS) return false
  const dense = text.match(DENSE)?.length ?? 0
  return text.length + dense * (DENSE_WEIGHS - 1) <= MOST_CHARACTERS && text.split(/\s+/).length <= MOST_WORDS
}

/** What a conversation was about before its last user message. */
export interface Before {
  /** Somebody answered already. */
  readonly isAnswered: boolean
  /** The text of the last answer; empty where there is none, and where it was no text. */
  readonly answer: string
  /** The last user message before that was no short follow-up itself; undefined where there is none. */
  readonly task: string | undefined
}

export const before = (history: ReadonlyArray<unknown>): Before => {
  let index = history.length - 1
  while (index >= 0 && roleOf(history[index]) !== "user") index--
  let answer: string | undefined
  for (index--; index >= 0; index--) {
    const role = roleOf(history[index])
    if (role === "assistant") answer ??= textOf(history[index] as JsonObject)
    if (role !== "user") continue
    const text = textOf(history[index] as JsonObject)
    if (!isShort(text)) return { isAnswered: answer !== undefined, answer: answer ?? "", task: text }
  }
  return { isAnswered: answer !== undefined, answer: answer ?? "", task: undefined }
}

const roleOf = (message: unknown): unknown => {
  if (!Predicate.isObject(message)) return undefined
  const { role, type } = message as JsonObject
  // The Responses API has no role where a model calls a tool.
  return type === "function_call" || type === "reasoning" ? "assistant" : role
}

const textOf = ({ content }: JsonObject): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((part: unknown) => {
      if (typeof part === "string") return [part]
      return Predicate.hasProperty(part, "text") && typeof part.text === "string" ? [part.text] : []
    })
    .join("\n")
}

/** Whoever says one of these is about to begin with something else. */
const greetings = phrasesOf(`
  hi|hello|hey|hiya|howdy|hi there|hello there|hey there|hi again|hello again|hey again|good morning|good afternoon|good evening|greetings|i'm back|im back
  hallo|servus|moin|grüß dich|guten morgen|guten tag|guten abend|bonjour|bonsoir|salut|coucou|hola|buenos días|buenas tardes|buenas
  ciao|salve|buongiorno|buonasera|olá|oi|bom dia|boa tarde|goedemorgen|goedemiddag|goedenavond|hoi|dzień dobry|dobry wieczór|cześć|hej|hei|god morgon|dobrý den|ahoj|szia|bună
  привет|здравствуйте|здравствуй|доброе утро|добрый день|добрый вечер|привіт|добрий день|доброго ранку|merhaba|selam|günaydın|iyi akşamlar|halo|selamat pagi|xin chào
  مرحبا|مرحباً|أهلا|السلام عليكم|صباح الخير|مساء الخير|سلام|שלום|היי|בוקר טוב|ערב טוב|नमस्ते|नमस्कार|सुप्रभात|হ্যালো|வணக்கம்|สวัสดี|สวัสดีครับ|สวัสดีค่ะ
  你好|您好|早上好|下午好|晚上好|早安|嗨|哈喽|こんにちは|こんばんは|おはよう|おはようございます|안녕|안녕하세요
`)

/** Whoever says one of these is done, whatever they were asked. */
const farewells = phrasesOf(`
  thank you|thank u|thanks|thanx|thx|ty|tysm|cheers|many thanks|thanks again|thank you again|many thanks again|much appreciated|i appreciate it|appreciate it|appreciated|no thanks|no thank you
  bye|bye bye|goodbye|good bye|good night|goodnight|see you|see ya|see you later|take care|have a nice day|have a good day|have a great day|have a good one
  that's all|that is all|that will be all|that's it|that was all|no more questions|no further questions|nothing else
  danke|danke dir|danke ihnen|dankeschön|danke schön|vielen dank|tausend dank|besten dank|nein danke|tschüss|tschüs|auf wiedersehen|gute nacht|bis bald|bis später|das war's|das wars|das ist alles
  merci|merci beaucoup|merci bien|mille mercis|non merci|au revoir|bonne nuit|bonne journée|bonne soirée|à bientôt|c'est tout
  gracias|muchas gracias|mil gracias|no gracias|adiós|adios|hasta luego|hasta mañana|buenas noches|eso es todo
  grazie|grazie mille|molte grazie|no grazie|arrivederci|buona notte|buonanotte|è tutto
  obrigado|obrigada|muito obrigado|muito obrigada|não obrigado|não obrigada|tchau|até logo|boa noite|é só isso
  bedankt|dank je|dank je wel|dank u|dank u wel|hartelijk dank|nee bedankt|tot ziens|doei|welterusten|dat is alles
  dziękuję|dzięki|dziękuję bardzo|nie dziękuję|do widzenia|pa pa|dobranoc|to wszystko
  tack|tack så mycket|nej tack|hej då|god natt|takk|tusen takk|nei takk|ha det|mange tak|nej tak|farvel|kiitos|paljon kiitoksia|näkemiin
  děkuji|díky|na shledanou|ďakujem|dovidenia|köszönöm|köszi|viszlát|mulțumesc|la revedere|ευχαριστώ|αντίο
  спасибо|большое спасибо|спасибо большое|нет спасибо|пока|до свидания|спокойной ночи|благодарю|это всё|дякую|щиро дякую|до побачення|на добраніч
  teşekkürler|teşekkür ederim|çok teşekkürler|sağ ol|sağol|hayır teşekkürler|hoşça kal|görüşürüz|iyi geceler|terima kasih|makasih|selamat tinggal|cảm ơn|cảm ơn bạn|tạm biệt
  شكرا|شكرًا|شكرا لك|شكرا جزيلا|مع السلامة|لا شكرا|متشکرم|ممنون|خداحافظ|תודה|תודה רבה|לא תודה|להתראות|לילה טוב
  धन्यवाद|शुक्रिया|बहुत धन्यवाद|अलविदा|ধন্যবাদ|நன்றி|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|ลาก่อน
  谢谢|谢谢你|谢谢您|谢谢啦|多谢|非常感谢|感谢|不用了谢谢|再见|拜拜|晚安|謝謝|謝謝你|感謝|再見
  ありがとう|ありがとうございます|ありがとうございました|どうも|どうもありがとう|さようなら|おやすみなさい|バイバイ
  감사합니다|고맙습니다|고마워|고마워요|안녕히 계세요|안녕히 가세요|잘 자
`)

/** Praise and signs of having understood: after a question or an offer they are a yes. */
const praise = phrasesOf(`
  great|perfect|awesome|amazing|excellent|fantastic|wonderful|brilliant|nice|cool|super|sweet|lovely|neat|superb|splendid|impressive|wow|yay|bravo
  great job|great work|good job|good work|nice work|nice one|well done|very good|very nice|very helpful|so helpful|helpful|that helps|that helped|that was helpful|works|it works|that works|it worked|that worked|you're the best|you're great|you're awesome|you rock|love it
  got it|understood|i see|i understand|makes sense|that makes sense|good to know|all good|all clear|lol|haha|hehe
  toll|prima|klasse|spitze|wunderbar|ausgezeichnet|sehr gut|gut gemacht|verstanden|alles klar|passt|parfait|génial|excellent|très bien|formidable|compris
  perfecto|genial|excelente|estupendo|muy bien|entendido|perfetto|ottimo|fantastico|molto bene|capito|perfeito|ótimo|muito bom|entendi|geweldig|uitstekend|begrepen
  świetnie|doskonale|super|rozumiem|отлично|супер|класс|прекрасно|понятно|понял|поняла|чудово|зрозуміло|harika|mükemmel|anladım
  رائع|ممتاز|فهمت|מעולה|מצוין|הבנתי|बढ़िया|बहुत अच्छा|समझ गया|太好了|太棒了|很好|非常好|明白了|懂了|知道了|すごい|素晴らしい|わかりました|なるほど|좋아요|최고예요|알겠습니다
  👍 | 👌 | 🙏 | ❤ | 😊 | 😀 | 😃 | 😄 | 🙂 | 😍 | 🥰 | 🎉 | 👏 | 💯 | 🔥 | 😂 | 🤝 | 💪 | ✅ | 👋 | 🤩 | 😎 | 🫶 | 💖 | 💕
`)

/** They may stand beside the others and say nothing by themselves. "Again", "then" and "so" may ask for more. */
const fillers = phrasesOf(`
  ok|okay|alright|oh|ah|and|so much|very much|a lot|a million|for your help|for the help|for your time|for that|for this|for now|for today|for everything|really|all|everyone|buddy|mate|man|friend|dear|sir|you too|a ton|a bunch|well
  und|sehr|dir|ihnen|euch|für deine hilfe|für ihre hilfe|für die hilfe|für alles|et|d'accord|pour votre aide|pour ton aide|pour tout|beaucoup|y|por tu ayuda|por su ayuda|por todo|e|per l'aiuto|pela ajuda|voor je hulp|voor de hulp|за помощь|большое|大家
`)

const ASKS = /[?？؟;⸮՞]/

/** Where one of these is said last, praise may be an answer. */
const OFFER = new RegExp(
  [
    "if you|let me know|tell me|just say|say the word|say yes|shall i|should i|happy to|i can also|i could also|ready when you|want me to",
    "wenn du|wenn sie|falls du|falls sie|sag mir|sagen sie mir|gerne? auch|si vous|si tu|dites-moi|dis-moi|si quieres|si deseas|si lo desea|dime|avísame",
    "se vuoi|se desidera|fammi sapere|dimmi|se quiser|se desejar|me avise|diga-me|als je|als u|laat me|laat het|jeśli chcesz|daj znać|om du vill|säg till",
    "если хотите|если хочешь|если нужно|могу также|дайте знать|скажите|скажи|якщо хочете|якщо хочеш|дайте знати|istersen|isterseniz"
  ]
    .map((phrases) => `(?<!\\p{L})(?:${phrases})(?!\\p{L})`)
    // Of scripts without spaces, or with words that begin with others.
    .concat(
      "如果你|如果您|如果需要|需要的话|告诉我|可以继续|よろしければ|必要であれば|教えてください|원하시면|필요하시면|알려주세요|إذا أردت|إذا كنت|أخبرني|אם תרצה|אם אתה|अगर आप|यदि आप"
    )
    .join("|"),
  "iu"
)
/** Characters at the end of an answer that such a thing is looked for in. */
const LAST_WORDS = 400

type SmallTalkKind = "courtesy" | "praise" | "filler"

/** By the first word: the phrases, as words, longest first. */
const known = new Map<string, Array<{ readonly words: ReadonlyArray<string>; readonly kind: SmallTalkKind }>>()

/** Emoji are words, without their colour; marks between words are none. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/\p{Emoji_Modifier}|\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\p{Extended_Pictographic}/gu, " $& ")
    .split(/(?:[\s~^]|(?!')\p{P})+/u)
    .filter((word) => word !== "")

for (const [kind, list] of [
  ["courtesy", [...greetings, ...farewells]],
  ["praise", praise],
  ["filler", fillers]
] as const) {
  for (const phrase of list) {
    const words = wordsOf(phrase)
    const first = words[0]!
    known.set(
      first,
      [...(known.get(first) ?? []), { words, kind }].toSorted((a, b) => b.words.length - a.words.length)
    )
  }
}

/** A "courtesy" closes what came before in any case, "praise" where nothing was asked or offered; undefined: it may ask for something. */
export const closing = (text: string): "courtesy" | "praise" | undefined => {
  // "That's all?"
  if (ASKS.test(text)) return undefined
  const words = wordsOf(text)
  let found: "courtesy" | "praise" | undefined
  for (let at = 0; at < words.length;) {
    const phrase = known.get(words[at]!)?.find((one) => one.words.every((word, index) => words[at + index] === word))
    if (phrase === undefined) return undefined
    if (phrase.kind === "courtesy" || (phrase.kind === "praise" && found === undefined)) found = phrase.kind
    at += phrase.words.length
  }
  return found
}

/** Whether an answer ends with a question or an offer. */
export const asksOrOffers = (answer: string): boolean => {
  const end = answer.slice(-LAST_WORDS)
  return ASKS.test(end) || OFFER.test(end)
}
