/** Calls of the admin API. Its types are those of the protocol package: a field that changes there is a type error here. */
import { gatewayPath } from "../Place.ts"
import { noteTime } from "./Clock.ts"
import { endSession, SESSION_HEADER, sessionToken } from "./Session.ts"

/** An answer that is no success. `message` is for people, and says what to do. */
export class ApiError extends Error {
  override name = "ApiError"
  readonly status: number
  readonly requestId: string | null

  constructor(message: string, status: number, requestId: string | null) {
    super(message)
    this.status = status
    this.requestId = requestId
  }
}

/** No answer came, or its end did not. */
export const unreachable = (): ApiError =>
  new ApiError("The gateway can't be reached. It may have been stopped, or the network is down.", 0, null)

/** The admin API's answer, whatever its status. */
const send = async (method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
  const token = sessionToken()
  const headers = new Headers()
  if (token !== null) headers.set(SESSION_HEADER, token)
  if (body !== undefined) headers.set("content-type", "application/json")
  const response = await fetch(`${gatewayPath}admin/${path}`, {
    method,
    headers,
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    throw unreachable()
  })
  noteTime(response)
  return response
}

export const errorOf = async (response: Response): Promise<ApiError> => {
  const body: unknown = await response.json().catch(() => undefined)
  const message = messageIn(body) ?? `The gateway responded with status ${response.status}.`
  return new ApiError(message, response.status, response.headers.get("x-request-id"))
}

const messageIn = (body: unknown): string | undefined => {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined
  const { error } = body
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : undefined
}

/** Any call but the one that signs in: an answer of 401 means that the session is over. */
export const open = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
  const token = sessionToken()
  const response = await send(method, path, body, signal)
  if (response.ok) return response
  // A call that began before somebody signed in again says nothing of the session that is there now.
  if (response.status === 401 && token === sessionToken()) endSession()
  throw await errorOf(response)
}

export const call = async <A>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<A> => {
  const response = await open(method, path, body, signal)
  return response.json().catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    const message = "The gateway's response can't be read. Check whether a proxy in between responds in its place."
    throw new ApiError(message, response.status, response.headers.get("x-request-id"))
  })
}

/** The identity providers that people may sign in with. Without an answer there is the master key. */
export const signInProviders = async (): Promise<ReadonlyArray<{ readonly name: string; readonly label: string }>> => {
  const response = await send("GET", "sign-in", undefined).catch(() => undefined)
  return response?.ok === true ? (await response.json()).data : []
}

/** Here 401 means that the key is wrong, or the link's code. */
export const signIn = async (
  proof: { readonly master_key: string } | { readonly code: string }
): Promise<{ readonly token: string; readonly role: "admin" | "user" }> => {
  const response = await send("POST", "session", proof)
  if (!response.ok) throw await errorOf(response)
  return response.json()
}
