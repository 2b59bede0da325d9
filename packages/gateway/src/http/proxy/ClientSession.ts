/** Which client sends a request and which conversation it belongs to, as coding agents say it in headers of their own. */
import { Predicate } from "effect"
import type { CallInput } from "../../core/call/CallInput.ts"
import type { JsonObject } from "../../core/domain/Json.ts"
import type { RequestHeaders } from "../routing/Endpoint.ts"

export const SESSION_ID = /^[\x21-\x7e]{1,128}$/

interface Agent {
  readonly client: string
  /** Headers that name the session, the newest first. */
  readonly session: ReadonlyArray<string>
  /** The header that names one of its agents; without it, it is the main one. */
  readonly agent?: string
}

/** Read in the clients themselves: Claude Code 2.1.332, Codex 0.171, opencode 1.18.33, @openrouter/sdk 1.3.19. */
const agents: ReadonlyArray<Agent> = [
  { client: "claude-code", session: ["x-claude-code-session-id"], agent: "x-claude-code-agent-id" },
  { client: "codex", session: ["session-id", "session_id"], agent: "thread-id" },
  { client: "opencode", session: ["x-session-affinity", "x-opencode-session", "x-session-id"] }
]

/** Clients without headers of their own. `opencode` and OpenRouter's clients share `X-Session-Id`. */
const userAgents: ReadonlyArray<readonly [RegExp, client: string]> = [
  [/^claude-(?:cli|code)\b/i, "claude-code"],
  [/^codex\b|^codex_/i, "codex"],
  [/^opencode\b/i, "opencode"],
  [/^cline\b/i, "cline"],
  [/^gemini-?cli\b/i, "gemini-cli"],
  [/^cursor\b/i, "cursor"]
]

export type ClientSession = Pick<CallInput, "client" | "sessionId" | "threadId">

/** `X-Gateway-Session-Id` decides alone. A bad value of an agent's header is ignored. */
export const clientSession = (headers: RequestHeaders, body: JsonObject): ClientSession => {
  const client = clientOf(headers["user-agent"])
  const own = idIn(headers["x-gateway-session-id"])
  if (own !== undefined) return { client, sessionId: own, threadId: undefined }
  const metadata = body["client_metadata"]
  // On a WebSocket Codex says it in each frame.
  const said = (name: string) =>
    (Predicate.isObject(metadata) ? idIn((metadata as JsonObject)[name.replace("-", "_")]) : undefined) ??
    idIn(headers[name])
  for (const { agent = "", client: named, session } of agents) {
    let sessionId: string | undefined
    for (const name of session) sessionId ??= said(name)
    if (sessionId === undefined) continue
    const thread = said(agent)
    return {
      client: named === "opencode" ? client : named,
      sessionId,
      threadId: thread === undefined ? undefined : `${sessionId} ${thread}`
    }
  }
  return { client, sessionId: idIn(body["session_id"]) ?? sessionOfUser(body), threadId: undefined }
}

const idIn = (value: unknown): string | undefined =>
  typeof value === "string" && SESSION_ID.test(value) ? value : undefined

/** Older versions of Claude Code have it in `metadata.user_id`; what else stands there is a person. */
const sessionOfUser = ({ metadata, prompt_cache_key: cacheKey }: JsonObject): string | undefined => {
  const user = typeof metadata === "object" ? (metadata as JsonObject | null)?.["user_id"] : undefined
  if (typeof user !== "string" || (typeof cacheKey === "string" && cacheKey !== "")) return undefined
  return /session_(?:id"\s*:\s*")?([\w-]{8,64})/.exec(user)?.[1]
}

/** One of a closed list, or `other`. */
const clientOf = (userAgent: unknown): string =>
  userAgents.find(([match]) => typeof userAgent === "string" && match.test(userAgent))?.[1] ?? "other"
