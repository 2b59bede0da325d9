/**
 * Says the same in other words, by rules: for asking whether a router that sees only the form of a prompt decides the same. Every
 * rule keeps what is asked; code, formulas and links stay as they are. Pure, and the same for the same random numbers.
 */
import { inProse, pick, type Random, replacer } from "./Prose.ts"
import { shuffled } from "./Shuffle.ts"
import { contractions, spellings, synonyms } from "./Words.ts"

export interface Rule {
  readonly name: string
  /** What it does, for the reader of the table. */
  readonly does: string
  /** Unchanged where the rule has nothing to do. */
  readonly apply: (prompt: string, random: Random) => string
}

const eachOther = (groups: ReadonlyArray<ReadonlyArray<string>>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const others = new Map<string, Array<string>>()
  for (const group of groups) {
    for (const word of group) {
      const own = others.get(word.toLowerCase()) ?? []
      own.push(...group.filter((other) => other !== word))
      others.set(word.toLowerCase(), own)
    }
  }
  return others
}

const greetings = `Hi|Hello|Hey|Hi there|Hello there|Hey there|Good morning|Good evening|Good afternoon|Dear assistant|Greetings|Hi everyone|Hello again|Hey, how are you|Hi, hope you are well|Hello, I hope you are having a good day`
const before = `Please help me with this.|Could you help me with this, please?|I would appreciate your help.|I'd be grateful for your help with this one.|Please, I need your help.|Sorry to bother you.|If you have a moment:|Please take a look at this.|Please answer the following.|I have a question.|Quick question:|Can you help me out here?`
const after = `Thanks!|Thank you.|Thanks in advance!|Thank you very much!|Please.|Thanks a lot|Many thanks!|I appreciate it.|Thank you for your help!|Cheers|Thanks so much for your time.|Your help is much appreciated.`
const asides = `I'm asking for a friend.|This is for my own interest.|I have been wondering about this for a while.|It came up in a conversation today.|I am new to this.|This is important to me.|I saw this somewhere and got curious.|No rush.|I hope that makes sense.|We talked about this at work.`

const oneOf = (texts: string, random: Random): string => pick(texts.split("|"), random)

const greeting = (prompt: string, random: Random): string =>
  oneOf(greetings, random) + pick(["!\n\n", ",\n", ", ", "! ", ". "], random) + prompt

const politeness = (prompt: string, random: Random): string => {
  const [first, last] = pick(
    [
      [true, false],
      [false, true],
      [true, true]
    ] as const,
    random
  )
  const gap = pick([" ", "\n", "\n\n"], random)
  return (first ? oneOf(before, random) + gap : "") + prompt + (last ? gap + oneOf(after, random) : "")
}

const aside = (prompt: string, random: Random): string =>
  random() < 0.5 ? `${oneOf(asides, random)} ${prompt}` : `${prompt} ${oneOf(asides, random)}`

const verbs =
  /^(write|create|make|give|explain|describe|list|find|calculate|compute|design|implement|prove|show|summari[sz]e|translate|tell|generate|help|provide|develop|analy[sz]e|compare|suggest|draft|build|solve|determine|discuss|plan|compose|convert|rewrite|fix|evaluate|consider|identify|name|act|derive)\b/i
const asking = /^(what|who|when|where|which|why|how|is|are|do|does|did|can|could|should|would|will)\b/i

/** "Write …" becomes "Could you please write …", "What …" becomes "Can you tell me: what …". */
const frame = (prompt: string, random: Random): string => {
  const start = prompt.trimStart()
  const lowered = /^[A-Z][a-z]/.test(start) ? start[0]!.toLowerCase() + start.slice(1) : start
  if (verbs.test(start)) {
    const lead = pick(
      [
        "Please",
        "Could you please",
        "Please could you",
        "Can you",
        "Would you mind helping me: please",
        "I need you to",
        "I'd like you to"
      ],
      random
    )
    return `${lead} ${lowered}`
  }
  if (asking.test(start)) {
    return (
      pick(
        [
          "Can you tell me: ",
          "I'd like to know: ",
          "Could you please tell me, ",
          "Do you know the answer to this? ",
          "Tell me, ",
          "I was wondering, "
        ],
        random
      ) + lowered
    )
  }
  return (
    pick(
      [
        "Here is my question: ",
        "Please answer this: ",
        "Could you please look at the following?\n\n",
        "Consider this.\n",
        "My question is as follows. "
      ],
      random
    ) + start
  )
}

const sentenceEnd = /(?<=[.!?])[ \t]+(?=[\p{Lu}"“(])/u
const optionLine = /^(\s*\(?[A-J1-9][.):]\s*)(.+)$/
const bulletLine = /^(\s*[-*•]\s+)(.+)$/

/** Shuffles the texts of neighbouring lines that `pattern` finds, and leaves their marks where they are. */
const shuffleLines = (prompt: string, pattern: RegExp, random: Random): string => {
  const lines = prompt.split("\n")
  const found = lines.flatMap((line, index) => (pattern.test(line) ? [index] : []))
  if (found.length < 3 || found.length > 12 || found.at(-1)! - found[0]! !== found.length - 1) return prompt
  const texts = shuffled(
    found.map((index) => pattern.exec(lines[index]!)![2]!),
    random
  )
  for (const [i, index] of found.entries()) lines[index] = pattern.exec(lines[index]!)![1]! + texts[i]!
  return lines.join("\n")
}

/** Options and bullets in another order; two neighbouring sentences swapped, the last staying last; "if" clauses turned round. */
const reordering = (prompt: string, random: Random): string => {
  let result = shuffleLines(shuffleLines(prompt, optionLine, random), bulletLine, random)
  result = inProse(result, (text) =>
    text
      .split("\n")
      .map((line) => {
        if (optionLine.test(line) || bulletLine.test(line)) return line
        const sentences = line.split(sentenceEnd)
        if (sentences.length >= 3) {
          const at = Math.floor(random() * (sentences.length - 2))
          ;[sentences[at], sentences[at + 1]] = [sentences[at + 1]!, sentences[at]!]
        }
        return sentences.map(turned).join(" ")
      })
      .join("\n")
  )
  return result
}

/** "If A, B." ↔ "B if A." */
const turned = (sentence: string): string => {
  const first = /^(If|When|Because|Although|Since|While) ([^,.?!]{4,80}), ([^.?!]{4,160})([.?!])$/.exec(sentence)
  if (first === null) return sentence
  const [, word, clause, rest, mark] = first
  return `${rest![0]!.toUpperCase()}${rest!.slice(1)} ${word!.toLowerCase()} ${clause}${mark}`
}

const whitespace = (prompt: string, random: Random): string => {
  const way = Math.floor(random() * 6)
  if (way === 0) return `\n\n${prompt}\n\n\n`
  if (way === 1)
    return prompt
      .split("\n")
      .map((line) => `${line}  `)
      .join("\n")
  return inProse(prompt, (text) => {
    if (way === 2) return text.replaceAll(sentenceEnd2, "\n")
    if (way === 3) return text.replaceAll(/\n{2,}/g, "\n")
    if (way === 4) return text.replaceAll("\n", "\n\n")
    return text.replaceAll(" ", () => (random() < 0.1 ? "  " : " "))
  })
}
const sentenceEnd2 = new RegExp(sentenceEnd, "gu")

const TYPING_ERRORS = 0.02

/** Letters of words of four and more are swapped with the next, left out or doubled, two in a hundred. */
const typing = (prompt: string, random: Random): string =>
  inProse(prompt, (text) =>
    text.replaceAll(/\p{L}{4,}/gu, (word) => {
      let result = ""
      for (let i = 0; i < word.length; i++) {
        const letter = word[i]!
        if (random() >= TYPING_ERRORS) result += letter
        else {
          const way = random()
          if (way < 0.4 && i + 1 < word.length) result += word[++i]! + letter
          else if (way < 0.7) result += letter + letter
        }
      }
      return result
    })
  )

const letterCase = (prompt: string, random: Random): string => {
  const way = random()
  return inProse(prompt, (text) => {
    if (way < 0.6) return text.toLowerCase()
    if (way < 0.8)
      return text.replaceAll(
        /(^|[.!?]\s+|\n)(\p{Lu})(?=\p{Ll})/gu,
        (_, lead: string, letter: string) => lead + letter.toLowerCase()
      )
    return text.toUpperCase()
  })
}

const punctuation = (prompt: string, random: Random): string => {
  const way = Math.floor(random() * 5)
  if (way === 0) return prompt.replace(/[.?!:]+\s*$/, "")
  if (way === 1)
    return prompt.replace(/([.?!]?)\s*$/, (_, mark: string) =>
      pick(["...", "!!", `${mark || "."}${mark || "."}`, " ?", "?!"], random)
    )
  return inProse(prompt, (text) => {
    if (way === 2) return text.replaceAll(/,(?= )/g, () => (random() < 0.6 ? "" : ","))
    if (way === 3)
      return text
        .replaceAll(/"([^"\n]*)"/g, "“$1”")
        .replaceAll("'", "’")
        .replaceAll(" - ", " – ")
    return text.replaceAll(/([.:;]) (?=\p{L})/gu, () => pick([". ", "; ", " - ", ": "], random))
  })
}

export const rules: ReadonlyArray<Rule> = [
  { name: "greeting", does: "says hello first", apply: greeting },
  { name: "politeness", does: "asks for help before, says thanks after", apply: politeness },
  { name: "frame", does: "“write …” becomes “please could you write …”", apply: frame },
  { name: "aside", does: "adds a sentence that asks for nothing", apply: aside },
  { name: "reordering", does: "sentences, clauses, options and bullets in another order", apply: reordering },
  {
    name: "synonyms",
    does: "every second known word by another of its group",
    apply: replacer(eachOther(synonyms), 0.5)
  },
  { name: "contractions", does: "“do not” and “don't” for each other", apply: replacer(eachOther(contractions), 1) },
  { name: "spelling", does: "British and American spelling for each other", apply: replacer(eachOther(spellings), 1) },
  { name: "whitespace", does: "line breaks and spaces added and taken away", apply: whitespace },
  { name: "typing errors", does: "2 % of the letters of longer words swapped, dropped or doubled", apply: typing },
  { name: "case", does: "all in small letters, sometimes all in capitals", apply: letterCase },
  { name: "punctuation", does: "marks left out, doubled or exchanged", apply: punctuation }
]

/** Two to four of the rules, one after the other. */
export const mixed: Rule = {
  name: "mixed",
  does: "two to four of the rules at once",
  apply: (prompt, random) =>
    shuffled(rules, random)
      .slice(0, 2 + Math.floor(random() * 3))
      .reduce((text, rule) => rule.apply(text, random), prompt)
}
