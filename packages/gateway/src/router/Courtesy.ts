/**
 * Where what is asked begins and ends: greetings, thanks and the wrapping of a polite request say nothing about how hard it is,
 * and the same question with and without them must go the same way.
 */

/** As written at the start of a request, in lower case, longest first within a language. A CJK one needs no space after it. */
const openings = `
  i was wondering whether you could|i was wondering if you could|i was wondering whether|i was wondering if|i was wondering
  i would like you to|i would like to know|i'd like you to|i'd like to know|i would appreciate it if you could|i need you to|i want you to
  i have a question about|i have a quick question|i have a question|i need help with|i need some help with|quick question
  would you be so kind as to|would you mind telling me|could you please tell me|could you tell me|can you tell me|can you please tell me
  could you please help me with this|could you please help me|can you please help me|could you help me with this|can you help me with this|could you help me out|help me with this|i would appreciate your help with the following|i'd appreciate your help with the following|i'd appreciate your help|i would appreciate your help|i have the following question|here is my question|my question is|i'm curious|just curious|i need some help|i need help|kindly answer this|please answer this|please answer the following|answer this question|could you answer this|a quick question|one quick question|quick one
  could you help me|can you help me|please help me|please tell me|do you know|please let me know|let me know
  could you please|can you please|would you please|will you please|would you kindly|could you kindly|could you|can you|would you|will you
  if you don't mind|if possible|i hope you are doing well|i hope you're doing well|i hope you are well|i hope this finds you well|hope you are well|hope you're doing well
  thank you in advance|thanks in advance|thank you so much|thank you very much|thank you|thanks a lot|thanks so much|thanks
  good morning|good afternoon|good evening|good day|hello there|hello everyone|hello all|hello again|hello|hi there|hi everyone|hi all|hi again|hi|hey there|hey|hiya|yo|greetings|dear assistant|dear all|dear sir or madam
  how are you doing today|how are you doing|how are you today|how are you|how is it going|how's it going|what's up|nice to meet you
  please kindly|please|pls|plz|kindly|excuse me|sorry to bother you|sorry|okay|ok|so|well|um|uh
  guten morgen|guten tag|guten abend|hallo zusammen|hallo|könntest du bitte|könnten sie bitte|kannst du bitte|können sie bitte|könntest du|könnten sie|kannst du|können sie|bitte|danke im voraus|vielen dank|danke
  bonjour|bonsoir|salut|pourriez-vous|pouvez-vous|peux-tu|s'il vous plaît|s'il te plaît|merci d'avance|merci beaucoup|merci
  buenos días|buenas tardes|hola|podrías|puedes|podría|por favor|muchas gracias|gracias
  buongiorno|ciao|potresti|puoi|per favore|grazie mille|grazie|bom dia|boa tarde|olá|oi|você poderia|você pode|obrigado|obrigada
  goedemorgen|goedendag|hoi|kun je|kunt u|alsjeblieft|alstublieft|dank je wel|dank je|bedankt|dzień dobry|cześć|czy możesz|czy mógłbyś|proszę|dziękuję
  здравствуйте|добрый день|привет|не могли бы вы|можешь|пожалуйста|спасибо|добрий день|привіт|будь ласка|дякую
  merhaba|selam|lütfen|teşekkür ederim|teşekkürler|مرحبا|السلام عليكم|من فضلك|هل يمكنك|شكرا|שלום|בבקשה|תודה|नमस्ते|कृपया|धन्यवाद
  你好|您好|请问|请你|请|麻烦你|谢谢|こんにちは|おはようございます|お願いします|ありがとうございます|すみません|안녕하세요|부탁드립니다|감사합니다
`
  .split(/[|\n]/)
  .map((phrase) => phrase.trim())
  .filter((phrase) => phrase !== "")

/** As written at the end, without the marks after it. */
const endings = `
  thank you very much in advance for your help|thank you in advance for your help|thanks in advance for your help|thank you very much in advance|thank you so much in advance
  thank you for your help|thanks for your help|thank you for your time|thank you so much|thank you very much|thank you in advance|thanks in advance|many thanks in advance
  thank you|thanks a lot|thanks a million|thanks so much|many thanks|thanks|thx|ty|cheers|best regards|kind regards|regards|i appreciate it|much appreciated|i would appreciate your help|any help is appreciated|any help would be appreciated
  i'd really appreciate your help|i'd appreciate it|have a nice day|have a great day|if you don't mind|if you can|if possible|would be great|that would be great|please help me|please help|please let me know|let me know|please|pls|plz|kindly
  vielen dank im voraus|vielen dank|danke im voraus|danke schön|danke|bitte|merci d'avance|merci beaucoup|merci|s'il vous plaît|s'il te plaît|muchas gracias|gracias de antemano|gracias|por favor|grazie mille|grazie|per favore|muito obrigado|obrigado|obrigada
  bedankt|dank je wel|dank je|alsjeblieft|alstublieft|dziękuję|proszę|спасибо|заранее спасибо|пожалуйста|дякую|будь ласка|teşekkürler|teşekkür ederim|lütfen|شكرا|من فضلك|תודה|בבקשה|धन्यवाद|कृपया
  谢谢你|谢谢您|谢谢|ありがとうございます|お願いします|감사합니다|부탁드립니다
`
  .split(/[|\n]/)
  .map((phrase) => phrase.trim())
  .filter((phrase) => phrase !== "")

const byLength = (a: string, b: string): number => b.length - a.length
/** By the first letter of an opening and the last of an ending: a prompt that has neither costs one look-up each. */
const openingsBy = Map.groupBy(openings.toSorted(byLength), (phrase) => phrase.charCodeAt(0))
const endingsBy = Map.groupBy(endings.toSorted(byLength), (phrase) => phrase.charCodeAt(phrase.length - 1))

/** More wrapping than this is no courtesy. */
const LONGEST = 160
const MOST_PHRASES = 8
/** White space is skipped this far from either end. */
const FARTHEST = 2000

/** White space, and marks that end a clause. */
const isBetween = (code: number): boolean =>
  code <= 32 ||
  code === 33 ||
  code === 63 ||
  code === 44 ||
  code === 46 ||
  code === 58 ||
  code === 59 ||
  code === 45 ||
  code === 0x3002 ||
  code === 0xff0c ||
  code === 0xff01 ||
  code === 0x3001 ||
  code === 0xa0 ||
  code === 0x3000 ||
  code === 0x2014 ||
  code === 0x2013 ||
  code === 0x060c
const isWordPart = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  (code >= 0xc0 && code < 0x2000 && code !== 0x060c)

export interface Span {
  readonly from: number
  readonly to: number
}

/** What is asked within `text`, as offsets. Empty when there is nothing but courtesies. */
export const withoutCourtesy = (text: string): Span => {
  const end = Math.min(text.length, FARTHEST)
  let from = 0
  while (from < end && text.charCodeAt(from) <= 32) from++
  const limit = Math.min(text.length, from + LONGEST)
  const head = text.slice(from, limit).toLowerCase().replaceAll("’", "'")
  // Some letters change their length in lower case: then offsets wouldn't fit.
  if (head.length === limit - from) from += opened(head)
  let to = text.length
  const least = Math.max(from, to - FARTHEST)
  while (to > least && text.charCodeAt(to - 1) <= 32) to--
  const start = Math.max(from, to - LONGEST)
  const tail = text.slice(start, to).toLowerCase().replaceAll("’", "'")
  if (tail.length === to - start) to = start + closed(tail)
  return { from, to: Math.max(from, to) }
}

/** How much of `head` is opening. */
const opened = (head: string): number => {
  let at = 0
  for (let round = 0; round < MOST_PHRASES; round++) {
    const phrase = openingsBy
      .get(head.charCodeAt(at))
      ?.find((one) => head.startsWith(one, at) && endsWord(head, at + one.length))
    if (phrase === undefined) return at
    at += phrase.length
    while (at < head.length && isBetween(head.charCodeAt(at))) at++
  }
  return at
}

/** Where in `tail` the ending begins; its length when there is none. A mark of the question before it stays. */
const closed = (tail: string): number => {
  let to = tail.length
  for (let round = 0; round < MOST_PHRASES; round++) {
    let end = to
    while (end > 0 && isBetween(tail.charCodeAt(end - 1))) end--
    const phrase = endingsBy
      .get(tail.charCodeAt(end - 1))
      ?.find((one) => tail.endsWith(one, end) && startsWord(tail, end - one.length))
    if (phrase === undefined) return to
    to = end - phrase.length
    while (to > 0 && (tail.charCodeAt(to - 1) <= 32 || tail.charCodeAt(to - 1) === 44)) to--
  }
  return to
}

const endsWord = (text: string, at: number): boolean =>
  at >= text.length || !isWordPart(text.charCodeAt(at)) || isCjkBefore(text, at)
const startsWord = (text: string, at: number): boolean =>
  at <= 0 || !isWordPart(text.charCodeAt(at - 1)) || text.charCodeAt(at) >= 0x3040
const isCjkBefore = (text: string, at: number): boolean => text.charCodeAt(at - 1) >= 0x3040
