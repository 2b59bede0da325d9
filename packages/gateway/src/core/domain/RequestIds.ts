/** How ids of requests begin: with their time, so that those made one after the other are neighbours in an index. */

/** Milliseconds, five bits a digit, fit until the year 3084. */
const TIME_LENGTH = 9

const SHAPE = /^req_([0-9a-v]{9})[0-9a-v]{15}$/

/** The least id of a time (epoch ms), or rather what all ids of it begin with. */
export const firstIdAt = (at: number): string => `req_${at.toString(32).padStart(TIME_LENGTH, "0")}`

/** When a request with this id came, epoch ms; undefined for what is no id of ours. */
export const requestTime = (id: string): number | undefined => {
  const time = SHAPE.exec(id)?.[1]
  return time === undefined ? undefined : Number.parseInt(time, 32)
}

/** The receipt's own id: the request's, told apart by its prefix. */
export const receiptId = (requestId: string): string => requestId.replace(/^req_/, "rcpt_")

/** The request that either id names. */
export const requestIdOf = (id: string): string => id.replace(/^rcpt_/, "req_")
