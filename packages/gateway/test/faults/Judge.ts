/** Whether what came of a fault is what is promised: to the client, and in the ledger. */
import type { LedgerRow } from "../support/RunningGateway.ts"
import { type Outcome, words } from "./Faults.ts"
import type { Case } from "./FaultsRun.ts"

/** What a client saw of one request. */
export interface Seen {
  readonly text: string
  /** `X-Gateway-Retries`; undefined where no answer began. */
  readonly retries: number | undefined
  /** It ended as whole answers do. */
  readonly finished: boolean
  /** The cache gave it. */
  readonly isHit?: boolean
  /** Nano-USD, as the client was told at the end. */
  readonly cost?: number | undefined
  /** The client's own error class. `status` is undefined for an error in a stream that had begun. */
  readonly error?: { readonly status: number | undefined; readonly code: string | null; readonly name: string }
  /** Not an error that the vendor's client knows. */
  readonly strange?: string
}

const said = words.join("")
/** 12 tokens read and 4 written, at 1 and 2 USD per million. */
const PRICE_OF_ANSWER = 20_000

export const problemsOf = (one: Case, seen: Seen, rows: ReadonlyArray<LedgerRow>): ReadonlyArray<string> => {
  const outcome = one.mode === "plain" ? one.fault.plain : one.fault.streamed
  if (seen.strange !== undefined) return [seen.strange]
  return [...clientProblems(one, outcome, seen), ...ledgerProblems(one, outcome, seen, rows)]
}

/** How the request is to end for its client. */
type Ending = "own" | "spare" | "cut" | "refused"

const endingOf = ({ mode, spared }: Case, { passes = false, reaches, stays = false }: Outcome): Ending => {
  if (reaches === "whole") return "own"
  if (reaches === "content" && mode === "cut") return "cut"
  if (spared && !stays) return "spare"
  return passes ? "own" : "refused"
}

const clientProblems = (one: Case, outcome: Outcome, seen: Seen): ReadonlyArray<string> => {
  const { error, finished, retries, text } = seen
  const told = error === undefined ? "no error" : `${error.name} ${error.status} ${error.code}`
  switch (endingOf(one, outcome)) {
    case "own":
      return [
        ...expected("text", text, said),
        ...expected("error", told, "no error"),
        ...expected("finished", finished, true),
        ...expected("retries", retries, outcome.reaches === "whole" ? 0 : 1)
      ]
    case "spare":
      return [
        ...expected("text", text, "spare"),
        ...expected("error", told, "no error"),
        ...expected("finished", finished, true),
        ...expected("retries", retries, 1)
      ]
    case "cut":
      return [
        ...(said.startsWith(text.slice(0, 4)) && text !== "" ? [] : [`text: ${JSON.stringify(text)}`]),
        ...expected("error", told, `APIError undefined ${outcome.told.code}`),
        ...expected("finished", finished, false),
        ...expected("retries", retries, 0)
      ]
    case "refused":
      return [
        ...expected("text", text, ""),
        ...expected("error", told, `${errorClasses[outcome.told.status]} ${outcome.told.status} ${outcome.told.code}`)
      ]
  }
}

/** The vendor's client has a class for each. */
export const errorClasses: { readonly [status: number]: string } = {
  400: "BadRequestError",
  429: "RateLimitError",
  502: "InternalServerError",
  503: "InternalServerError",
  504: "InternalServerError"
}

const ledgerProblems = (
  one: Case,
  outcome: Outcome,
  seen: Seen,
  rows: ReadonlyArray<LedgerRow>
): ReadonlyArray<string> => {
  const ending = endingOf(one, outcome)
  const own = rows.filter(({ deployment }) => deployment === one.tag)
  const spare = rows.filter(({ deployment }) => deployment === "good/fine")
  const asked =
    one.spared || ending === "cut" || outcome.reaches === "whole"
      ? 1
      : 1 + (outcome.passes === true ? 1 : outcome.again)
  const total = rows.reduce((sum, { cost }) => sum + cost, 0)
  return [
    ...expected("rows of the faulty one", own.length, asked),
    ...expected("rows of the spare one", spare.length, ending === "spare" ? 1 : 0),
    ...spare.flatMap((row) => expected("the spare one's row", shown(row), `settled exact ${PRICE_OF_ANSWER}`)),
    ...own.flatMap((row, index) => {
      const isAnswer = ending === "own" && index === own.length - 1
      const what = `row ${index + 1} of the faulty one`
      if (outcome.billed === "exact") return expected(what, shown(row), `settled exact ${PRICE_OF_ANSWER}`)
      if (outcome.billed)
        return row.status === "settled" && row.estimated === 1 && row.cost > 0 ? [] : [`${what}: ${shown(row)}`]
      return expected(what, shown(row), isAnswer ? `settled exact ${PRICE_OF_ANSWER}` : "void exact 0")
    }),
    ...(seen.finished ? expected("cost told", seen.cost, total) : [])
  ]
}

const shown = ({ cost, estimated, status }: LedgerRow): string =>
  `${status} ${estimated === 1 ? "estimated" : "exact"} ${cost}`

const expected = (what: string, found: unknown, right: unknown): ReadonlyArray<string> =>
  found === right ? [] : [`${what}: ${JSON.stringify(found)} where ${JSON.stringify(right)} is right`]
