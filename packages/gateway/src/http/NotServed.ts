/** Paths that are not there, and what callers of the vendors' other APIs can do instead. */
import { UnknownPath } from "./HttpErrors.ts"
import { pathOf } from "./proxy/Routes.ts"

/** First words of paths under `/v1` that are somebody's API, and not the gateway's. */
const notServed: ReadonlyArray<readonly [what: string, names: ReadonlyArray<string>, instead?: string]> = [
  ["files", ["files", "uploads"], "Send a file's content in the request that needs it, as `file_data`."],
  ["batches", ["batches", "messages/batches"], "Send the requests one by one."],
  ["vector stores", ["vector_stores"], "Send what was found in the request that needs it."],
  ["realtime sessions", ["realtime"], "Speech can be sent to /v1/audio/transcriptions, and text to /v1/audio/speech."],
  ["assistants", ["assistants", "threads"], "Send the conversation to /v1/responses or /v1/chat/completions."],
  ["fine-tuning", ["fine_tuning", "fine-tunes"]],
  ["evaluations", ["evals", "graders"]],
  ["containers", ["containers"]],
  ["videos", ["videos"]],
  ["organizations", ["organization", "organizations"]],
  ["ChatKit", ["chatkit"]],
  ["skills", ["skills"]]
]

const WEB_SOCKET = "The gateway speaks no WebSocket: send the request over HTTP, with `stream: true` for a stream."

/** `target`: as in the request line. `webSocket`: the caller wants to speak that. */
export const unknownPath = (method: string, target: string, webSocket = false): UnknownPath => {
  const path = target.replace(/[?#].*$/s, "")
  const hint = webSocket ? WEB_SOCKET : hintFor(pathOf(target) ?? "")
  return new UnknownPath({ method, path, ...(hint === undefined ? {} : { hint }) })
}

const hintFor = (path: string): string | undefined => {
  const found = notServed.find(([, names]) => names.some((name) => `${path}/`.startsWith(`/v1/${name}/`)))
  if (found === undefined) return undefined
  const [what, , instead] = found
  const sentence = `The gateway does not serve ${what}.`
  return instead === undefined ? sentence : `${sentence} ${instead}`
}
