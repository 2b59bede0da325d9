/** Addresses of media in a private network: a server of the operator's would fetch them from inside, for a caller to read. */
import { Effect } from "effect"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { Unsupported } from "../../core/domain/Failures.ts"
import type { CallRequest } from "../../core/operations/CallRequest.ts"
import { isObject } from "../json/LooseJson.ts"
import { hostOf, isPrivateHost } from "../transport/PrivateHost.ts"

interface MediaAddress {
  readonly param: string
  readonly url: string
}

/** What a model reads as text, whatever it looks like, and what is no address. */
const TEXTS = new Set(
  "text content output arguments input thinking reasoning reasoning_content refusal signature name title context id role type".split(
    " "
  )
)
/** Fields of a body that hold media beside its conversation. */
const HOLDERS = ["instructions", "system", "image", "images", "image_url", "mask", "input_image"]
const FETCHED = /^\s*(?:https?|ftp|file):/i

export const guardsMedia = ({ refusesPrivateMedia }: Deployment, { body, media }: CallRequest): boolean =>
  refusesPrivateMedia === true && (media.length > 0 || HOLDERS.some((name) => body[name] !== undefined))

/** Fails for an address in a private network that the gateway has not fetched itself. */
export const refusePrivateMedia = Effect.fnUntraced(function* ({ id }: Deployment, request: CallRequest) {
  const found: Array<MediaAddress> = []
  for (const name of [request.contents, ...HOLDERS]) visit(request.body[name], name, !TEXTS.has(name), found)
  const checked = new Set<string>()
  for (const { param, url } of found) {
    const host = hostOf(url)
    if (checked.has(url)) continue
    checked.add(url)
    if (host === undefined || (yield* isPrivateHost(host))) {
      const message = `\`${param}\` is an address in a private network, which ${id} may not fetch: send the contents as a data URL. The operator can allow its host in the deployment's \`media_hosts\``
      return yield* new Unsupported({ param, message })
    }
  }
})

const visit = (value: unknown, param: string, mayBeOne: boolean, found: Array<MediaAddress>): void => {
  if (typeof value === "string") {
    if (mayBeOne && FETCHED.test(value)) found.push({ param, url: value })
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) visit(one, `${param}[${index}]`, mayBeOne, found)
  } else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) visit(one, `${param}.${name}`, !TEXTS.has(name), found)
  }
}
