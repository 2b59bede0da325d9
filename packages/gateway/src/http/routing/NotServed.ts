/** What the gateway does not serve of the vendors' APIs, and what their callers can do instead. */
import { MethodNotAllowed, UnknownPath } from "../errors/RequestErrors.ts"
import { pathOf } from "./Routes.ts"

/** First words of paths under `/v1` that are somebody's API, and not the gateway's. */
const notServed: ReadonlyArray<readonly [what: string, names: ReadonlyArray<string>, instead?: string]> = [
  ["files", ["files", "uploads"], "Send a file's content in the request that needs it, as `file_data`."],
  ["batches", ["batches", "messages/batches"], "Send the requests one by one."],
  ["vector stores", ["vector_stores"], "Send what was found in the request that needs it."],
  ["realtime sessions", ["realtime"], "Speech can be sent to /v1/audio/transcriptions, and text to /v1/audio/speech."],
  ["conversations", ["conversations"], "Name the last response in `previous_response_id` of /v1/responses."],
  ["assistants", ["assistants", "threads"], "Send the conversation to /v1/responses or /v1/chat/completions."],
  ["fine-tuning", ["fine_tuning", "fine-tunes"]],
  ["evaluations", ["evals", "graders"]],
  ["containers", ["containers"]],
  ["cached contents", ["cachedContents"], "Send the content itself: vendors cache it by themselves."],
  ["tuned models", ["tunedModels"]],
  ["videos", ["videos"]],
  ["organizations", ["organization", "organizations"]],
  ["ChatKit", ["chatkit"]],
  ["skills", ["skills"]]
]

/** `target`: as in the request line. */
export const unknown = (method: string, target: string, hint: string | undefined): UnknownPath =>
  new UnknownPath({ method, path: withoutQuery(target), ...(hint === undefined ? {} : { hint }) })

/** The path has other methods: `allow`. Some paths only look like one that has. */
export const refusedMethod = (
  method: string,
  target: string,
  allow: ReadonlyArray<string>
): UnknownPath | MethodNotAllowed => {
  const hint = elsewhere(pathOf(target) ?? "")
  return hint === undefined
    ? new MethodNotAllowed({ method, path: withoutQuery(target), allow })
    : unknown(method, target, hint)
}

/** It may hold a secret, and errors repeat the path. */
const withoutQuery = (target: string): string => target.replace(/[?#].*$/s, "")

/** What is said of a path of somebody's API that the gateway does not serve. */
export const elsewhere = (path: string): string | undefined => {
  const verb = /^\/v1\/models\/.+:(\w+)$/.exec(path)?.[1]
  if (verb !== undefined) {
    return `The gateway does not serve ${verb}. Of Google's methods there are generateContent, streamGenerateContent and countTokens; /v1/embeddings makes vectors.`
  }
  const found = notServed.find(([, names]) => names.some((name) => `${path}/`.startsWith(`/v1/${name}/`)))
  if (found === undefined) return undefined
  const [what, , instead] = found
  const sentence = `The gateway does not serve ${what}.`
  return instead === undefined ? sentence : `${sentence} ${instead}`
}
