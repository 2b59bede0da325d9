/** What is promised of every answer, whatever was asked. */
import type { Heard, WireAnswer } from "../../support/RawSocket.ts"
import type { Mutation } from "./Mutations.ts"
import type { World } from "./Templates.ts"

/** How long anybody may be kept waiting, in ms. */
export const PATIENCE_MS = 10_000

/** What is wrong with the outcome; undefined when nothing is. */
export const violation = (
  mutation: Mutation,
  heard: Heard,
  { masterKey }: Pick<World, "masterKey">
): string | undefined => {
  for (const answer of heard.answers) {
    const wrong = answerViolation(mutation, answer)
    if (wrong !== undefined) return wrong
    if (answer.body.includes(masterKey)) return "the answer holds the master key"
  }
  if (heard.answers.length > 0) return undefined
  if (isEmpty(mutation)) return undefined
  if (isBrokenStream(heard.rest)) return undefined
  // Who hangs up its side can't be told from who is gone, and what was asked is not done for nobody.
  if (mutation.end && heard.ended === "closed") return undefined
  if (heard.ended === "quiet") return `no answer within ${PATIENCE_MS} ms`
  return `the connection was ${heard.ended} without an answer, after ${Math.round(heard.took)} ms`
}

/** A provider broke a stream after its first content: the last event is an error, and the body has no end. */
const isBrokenStream = (rest: string): boolean =>
  /^HTTP\/1\.1 200 [^]*\r\nx-request-id: [^]*\r\n\r\n[^]*\ndata: \{[^\n]*"(?:error|response\.failed)"/i.test(rest)

const answerViolation = (mutation: Mutation, { body, headers, status }: WireAnswer): string | undefined => {
  if (headers.has("x-evil")) return "a header was injected"
  if (!headers.has("x-request-id")) return `a ${status} without X-Request-Id`
  if (status < 400) return undefined
  const error = errorOf(body)
  if (error === undefined)
    return isHead(mutation) && body === "" ? undefined : `a ${status} without the error body: ${body.slice(0, 200)}`
  if (status < 500) return undefined
  if (error.code?.startsWith("upstream_") === true && mutation.template.mayFail === true) return undefined
  return `a ${status} of the gateway's own making: ${body.slice(0, 300)}`
}

/** Its answer has no body, whatever it announces. */
export const isHead = ({ pieces }: Mutation): boolean =>
  /^\s*HEAD /.test(Buffer.concat(pieces).subarray(0, 20).toString("latin1"))

/** Nothing was asked: nothing needs an answer. */
const isEmpty = ({ pieces }: Mutation): boolean => pieces.every((piece) => /^[\r\n]*$/.test(piece.toString("latin1")))

const errorOf = (body: string): { readonly code: string | null } | undefined => {
  try {
    const { error, ...others } = JSON.parse(body)
    // Beside the error Anthropic's shape has a type and the id of the request.
    const isAlone = Object.keys(others).length === 0
    const isAnthropic = others.type === "error" && typeof others.request_id === "string"
    const isSound =
      (isAlone || isAnthropic) &&
      typeof error.type === "string" &&
      typeof error.message === "string" &&
      (error.param === null || typeof error.param === "string") &&
      (error.code === null || typeof error.code === "string")
    return isSound ? error : undefined
  } catch {
    return undefined
  }
}
