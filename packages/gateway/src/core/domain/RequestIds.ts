/** Request ids begin with their time, so that ids made in sequence are neighbours in an index. */

/** Milliseconds, five bits a digit, fit until the year 3084. */
const TIME_LENGTH = 9

const SHAPE = /^req_([0-9a-v]{9})[0-9a-v]{15}$/

/** The common prefix of all ids of a time (epoch milliseconds), which is also the lowest of them. */
export const firstIdAt = (at: number): string => `req_${at.toString(32).padStart(TIME_LENGTH, "0")}`

/** When the request with this id came (epoch milliseconds); undefined for an id that the gateway did not make. */
export const requestTime = (id: string): number | undefined => {
  const time = SHAPE.exec(id)?.[1]
  return time === undefined ? undefined : Number.parseInt(time, 32)
}

/** The id of a request's receipt: the same with another prefix. */
export const receiptId = (requestId: string): string =>
  requestId.startsWith("req_") ? `rcpt_${requestId.slice("req_".length)}` : requestId

/** The request id that belongs to a receipt id or request id. */
export const requestIdOf = (id: string): string => id.replace(/^rcpt_/, "req_")
