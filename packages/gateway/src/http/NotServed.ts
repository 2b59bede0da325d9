/** Paths that are not there, and what callers of the vendors' other APIs, or with a wrong base URL, can do instead. */
import { Api } from "@model-gateway/protocol"
import { HttpApi } from "effect/http-api"
import { MethodNotAllowed, UnknownPath } from "./HttpErrors.ts"
import { pathOf } from "./proxy/Routes.ts"

/** First words of paths under `/v1` that are somebody's API, and not the gateway's. */
const notServed: ReadonlyArray<readonly [what: string, names: ReadonlyArray<string>, instead?: string]> = [
  ["files", ["files", "uploads"], "Send a file's content in the request that needs it, as `file_data`."],
  ["batches", ["batches", "messages/batches"], "Send the requests one by one."],
  ["vector stores", ["vector_stores"], "Send what was found in the request that needs it."],
  ["realtime sessions", ["realtime"], "Speech can be sent to /v1/audio/transcriptions, and text to /v1/audio/speech."],
  ["conversations", ["conversations"], "Name the last response in `previous_response_id` of /v1/responses."],
  ["counts of tokens for responses", ["responses/input_tokens"], "/v1/messages/count_tokens counts those of messages."],
  ["assistants", ["assistants", "threads"], "Send the conversation to /v1/responses or /v1/chat/completions."],
  ["fine-tuning", ["fine_tuning", "fine-tunes"]],
  ["evaluations", ["evals", "graders"]],
  ["containers", ["containers"]],
  ["videos", ["videos"]],
  ["organizations", ["organization", "organizations"]],
  ["ChatKit", ["chatkit"]],
  ["skills", ["skills"]]
]

/** The endpoints under `/v1` whose paths are always the same. */
const endpoints = new Set<string>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { path } }) => {
    if (path.startsWith("/v1/") && !path.includes(":")) endpoints.add(path)
  }
})

const OVERVIEW = "The API is under /v1; /docs describes it."

const WEB_SOCKET = "The gateway speaks no WebSocket: send the request over HTTP, with `stream: true` for a stream."

/** `target`: as in the request line. `webSocket`: the caller wants to speak that. */
export const unknownPath = (method: string, target: string, webSocket = false): UnknownPath => {
  const path = withoutQuery(target)
  const hint = webSocket ? WEB_SOCKET : hintFor(pathOf(target) ?? "")
  return new UnknownPath({ method, path, ...(hint === undefined ? {} : { hint }) })
}

/** The path has other methods: `allow`. Some paths only look like one that has. */
export const refusedMethod = (
  method: string,
  target: string,
  allow: ReadonlyArray<string>
): UnknownPath | MethodNotAllowed =>
  elsewhere(pathOf(target) ?? "") === undefined
    ? new MethodNotAllowed({ method, path: withoutQuery(target), allow })
    : unknownPath(method, target)

/** It may hold a secret, and errors repeat the path. */
const withoutQuery = (target: string): string => target.replace(/[?#].*$/s, "")

const hintFor = (path: string): string | undefined => {
  if (path === "/" || path === "/v1") return OVERVIEW
  return elsewhere(path) ?? endpointIn(path)
}

/** What is said of a path of somebody's API that the gateway does not serve. */
const elsewhere = (path: string): string | undefined => {
  const found = notServed.find(([, names]) => names.some((name) => `${path}/`.startsWith(`/v1/${name}/`)))
  if (found === undefined) return undefined
  const [what, , instead] = found
  const sentence = `The gateway does not serve ${what}.`
  return instead === undefined ? sentence : `${sentence} ${instead}`
}

/** The path ends like an endpoint's, as after a base URL that lacks `/v1`, has it twice or has another vendor's prefix. */
const endpointIn = (path: string): string | undefined => {
  if (path.startsWith("/admin/")) return undefined
  const meant = [2, 1]
    .map((words) => `/v1/${path.split("/").slice(1).slice(-words).join("/")}`)
    .find((one) => endpoints.has(one))
  return meant === undefined ? undefined : `Did you mean ${meant}? Check the client's base URL.`
}
