/** The words that courtesies are made of. `Courtesy.ts` finds them; a word that says what is asked belongs in none of these lists. */
import { phrasesOf, wordsIn } from "../text/Phrases.ts"
import courtesy from "./courtesy.json" with { type: "json" }

/**
 * Openings are written at the start of a request, in lower case, longest first within a language. A CJK one needs no space after it.
 * These only wrap what is asked; by themselves they say nothing about whether something is.
 */
export const requests = phrasesOf(courtesy.requests)

/** These say hello and thank you. */
const greetings = phrasesOf(courtesy.greetings)

export const openings = [...requests, ...greetings]

/** Nothing but courtesy when a clause is made of them, and part of what is asked when it goes on otherwise. */
export const wholes = phrasesOf(courtesy.wholes)

/** As written at the end, without the marks after it. */
export const endings = phrasesOf(courtesy.endings)

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
const ROLES = { COURTEOUS, SALUTES, SIGNS, WISHES, WISHED, PERSONAL, DAYS, SELF, HOPES, DEAR, PLEASE, TITLE, FILLER }

/** Of scripts without spaces, in a clause that is nothing but courtesy, longest first. */
export const denseFillers = phrasesOf(courtesy.denseFillers).toSorted((a, b) => b.length - a.length)

/** What each word does; the first list that has it counts. */
export const roles: ReadonlyMap<string, number> = new Map(
  Object.entries(courtesy.words)
    .flatMap(([role, lines]) => wordsIn(lines).map((word) => [word, ROLES[role as keyof typeof ROLES]] as const))
    .toReversed()
)
