/** Paths that are not there, and what callers with a wrong base URL, or of the vendors' other APIs, can do instead. */
import { Api } from "@model-gateway/protocol"
import { HttpApi } from "effect/http-api"
import type { UnknownPath } from "../errors/RequestErrors.ts"
import { elsewhere, unknown } from "./NotServed.ts"
import { pathOf } from "./Routes.ts"

/** The endpoints under `/v1` whose paths are always the same. */
const endpoints = new Set<string>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { path } }) => {
    if (path.startsWith("/v1/") && !path.includes(":")) endpoints.add(path)
  }
})

const OVERVIEW = "The API is under /v1; /docs describes it."

/** `target`: as in the request line. */
export const unknownPath = (method: string, target: string): UnknownPath =>
  unknown(method, target, hintFor(pathOf(target) ?? ""))

/** The error for a path of the API that nothing serves; undefined: the path is not the API's. */
export const unknownInApi = (method: string, target: string): UnknownPath | undefined => {
  const path = pathOf(target) ?? ""
  const isMeant = path === "/v1" || path.startsWith("/v1/") || (method === "POST" && endpointIn(path) !== undefined)
  return isMeant ? unknownPath(method, target) : undefined
}

const hintFor = (path: string): string | undefined => {
  if (path === "/" || path === "/v1") return OVERVIEW
  return elsewhere(path) ?? endpointIn(path)
}

/** The path ends like an endpoint's, as after a base URL that lacks `/v1`, has it twice or has another vendor's prefix. */
const endpointIn = (path: string): string | undefined => {
  if (path.startsWith("/admin/")) return undefined
  const meant = [2, 1]
    .map((words) => `/v1/${path.split("/").slice(1).slice(-words).join("/")}`)
    .find((one) => endpoints.has(one))
  return meant === undefined ? undefined : `Did you mean ${meant}? Check the client's base URL.`
}
