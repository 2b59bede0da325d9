/**
 * Which proxy endpoint a request is for. Lenient as clients need it: duplicate and trailing slashes, `/openai/v1/…` for
 * `/v1/…`. Everything else falls through to the system and admin router.
 */
export type Route =
  | { readonly endpoint: "chat" }
  | { readonly endpoint: "models" }
  | { readonly endpoint: "model"; readonly id: string }
  | { readonly endpoint: "key" }
  | { readonly endpoint: "receipt"; readonly id: string }
  | { readonly endpoint: "feedback"; readonly id: string }

/** `methods`: what the path allows, when the method is another. */
export type RouteMatch = { readonly route: Route } | { readonly methods: ReadonlyArray<string> } | undefined

export const matchRoute = (method: string, target: string): RouteMatch => {
  // The usual spelling, without any work.
  if (target === "/v1/chat/completions") return only("POST", method, { endpoint: "chat" })
  const path = normalPath(target)
  if (path === undefined || !path.startsWith("/v1/")) return undefined
  switch (path) {
    case "/v1/chat/completions":
      return only("POST", method, { endpoint: "chat" })
    case "/v1/models":
      return only("GET", method, { endpoint: "models" })
    case "/v1/key":
      return only("GET", method, { endpoint: "key" })
  }
  for (const [prefix, endpoint] of named) {
    if (!path.startsWith(prefix)) continue
    const isFeedback = endpoint === "receipt" && path.endsWith(FEEDBACK)
    const id = decoded(path.slice(prefix.length, isFeedback ? -FEEDBACK.length : undefined))
    if (id === undefined) return undefined
    return isFeedback ? only("POST", method, { endpoint: "feedback", id }) : only("GET", method, { endpoint, id })
  }
  return undefined
}

/** Paths that end with a name. */
const named = [
  ["/v1/models/", "model"],
  ["/v1/receipts/", "receipt"]
] as const

/** What may follow the id of a receipt. */
const FEEDBACK = "/feedback"

const only = (allowed: string, method: string, route: Route): RouteMatch =>
  method === allowed || (allowed === "GET" && method === "HEAD")
    ? { route }
    : { methods: allowed === "GET" ? ["GET", "HEAD"] : [allowed] }

/** Without query, origin (absolute form), doubled and trailing slashes and the `/openai` alias. */
const normalPath = (target: string): string | undefined => {
  let path = target
  if (!path.startsWith("/")) {
    const origin = /^https?:\/\/[^/?#]*/i.exec(path)
    if (origin === null) return undefined
    path = path.slice(origin[0].length)
  }
  const end = path.search(/[?#]/)
  if (end >= 0) path = path.slice(0, end)
  path = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "")
  return path.startsWith("/openai/v1/") ? path.slice("/openai".length) : path
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
