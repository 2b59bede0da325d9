/** Requests that are answered before their body was read to its end. */
import type { IncomingMessage } from "node:http"

/** Bytes. So much is read and thrown away rather than to cut off a client that still sends: it would never see its answer. */
const MOST_READ_IN_VAIN = 64 * 1024 * 1024

/**
 * Headers for such an answer. Node reads what is left and the connection goes on; the time limit of requests ends those that never
 * end. Only who announced far too much is told to stop, and is cut off.
 */
export const headersForUnread = (request: IncomingMessage): Readonly<Record<string, string>> =>
  !request.complete && Number(request.headers["content-length"] ?? 0) > MOST_READ_IN_VAIN ? { connection: "close" } : {}
