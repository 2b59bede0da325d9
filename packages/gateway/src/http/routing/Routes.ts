/** Finds the endpoint of a request, leniently: doubled and trailing slashes, `/openai/v1/…`. Others go to the admin router. */
import type { EndpointError } from "../errors/WireError.ts"
import type { Endpoint, HttpRequest } from "./Endpoint.ts"

/** `methods`: the allowed ones, if the request has another. `failure`: nothing serves this path of the API. */
export type RouteMatch =
  | { readonly endpoint: Endpoint; readonly params: HttpRequest["params"] }
  | { readonly methods: ReadonlyArray<string> }
  | { readonly failure: EndpointError }

type Methods = ReadonlyMap<string, Endpoint>

/** A path with a parameter: `/v1/receipts/{id}/feedback`. */
interface Pattern {
  readonly before: string
  readonly name: string
  readonly after: string
  readonly methods: Methods
}

const NO_PARAMS = {}

export class Routes {
  /** Paths without a parameter, answered without any work. */
  private readonly exact = new Map<string, Map<string, RouteMatch>>()
  /** Patterns with more text after their parameter come first. */
  private readonly patterns: ReadonlyArray<Pattern>

  constructor(endpoints: ReadonlyArray<Endpoint>) {
    for (const [path, methods] of byPath(endpoints)) {
      if (path.includes("{")) continue
      const matches = [...methods].map(([method, endpoint]) => [method, { endpoint, params: NO_PARAMS }] as const)
      this.exact.set(path, new Map(matches))
    }
    this.patterns = [...byPath(endpoints)]
      .flatMap(([path, methods]) => patternOf(path, methods) ?? [])
      .toSorted((one, other) => other.after.length - one.after.length || other.before.length - one.before.length)
  }

  /** `target`: as in the request line. Undefined: no endpoint has this path. */
  match(method: string, target: string): RouteMatch | undefined {
    const usual = this.exact.get(target)
    if (usual !== undefined) return usual.get(method) ?? otherMethods(usual)
    const path = pathOf(target)
    if (path === undefined || !path.startsWith("/v1/")) return undefined
    const known = this.exact.get(path)
    if (known !== undefined) return known.get(method) ?? otherMethods(known)
    for (const { after, before, methods, name } of this.patterns) {
      if (path.length <= before.length + after.length || !path.startsWith(before) || !path.endsWith(after)) continue
      const value = decoded(path.slice(before.length, path.length - after.length))
      if (value === undefined) return undefined
      const endpoint = methods.get(method)
      return endpoint === undefined ? otherMethods(methods) : { endpoint, params: { [name]: value } }
    }
    return undefined
  }
}

const otherMethods = (methods: ReadonlyMap<string, unknown>): RouteMatch => ({ methods: [...methods.keys()] })

const byPath = (endpoints: ReadonlyArray<Endpoint>): Map<string, Map<string, Endpoint>> => {
  const paths = new Map<string, Map<string, Endpoint>>()
  for (const endpoint of endpoints) {
    const methods = paths.get(endpoint.path) ?? new Map<string, Endpoint>()
    paths.set(endpoint.path, methods.set(endpoint.method, endpoint))
    if (endpoint.method === "GET") methods.set("HEAD", endpoint)
  }
  return paths
}

const patternOf = (path: string, methods: Methods): Pattern | undefined => {
  const found = /^([^{]*)\{(\w+)\}([^{]*)$/.exec(path)
  return found === null ? undefined : { before: found[1]!, name: found[2]!, after: found[3]!, methods }
}

/**
 * The canonical path: without query, origin, doubled and trailing slashes and `/openai`. `/v2/rerank` (Cohere's SDKs) is
 * `/v1/rerank`; `/v1beta/…` and the paths of Google's models at Vertex are `/v1/…`.
 */
export const pathOf = (target: string): string | undefined => {
  let path = target
  if (!path.startsWith("/")) {
    const origin = /^https?:\/\/[^/?#]*/i.exec(path)
    if (origin === null) return undefined
    path = path.slice(origin[0].length)
  }
  const end = path.search(/[?#]/)
  if (end >= 0) path = path.slice(0, end)
  path = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "")
  if (path === "/v2/rerank") return "/v1/rerank"
  if (path.startsWith("/v1beta")) return path.replace(GOOGLES, "/v1/")
  return path.startsWith("/openai/v1/") ? path.slice("/openai".length) : path
}

const GOOGLES = /^\/v1beta(?:1\/(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google)?\//

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
