/** What the schemas of an operation do not say in the OpenAPI document. */
import { OpenApi } from "effect/http-api"

const meanings = {
  400: "A field of the request is wrong, or the body is no JSON; `param` names the field.",
  401: "No credential, or one that opens nothing (any more); `code` says why.",
  403: "A credential of the other kind, or a model that the key may not use.",
  404: "There is no such thing.",
  413: "The body is too large.",
  415: "The body is encoded, or of a media type that is not read here.",
  429: "A limit or a budget has no room for the request; `kind` says which.",
  500: "The gateway failed.",
  502: "The providers failed.",
  503: "The providers are unavailable, the store is, or the gateway is shutting down; `code` says which.",
  504: "The providers did not answer in time."
} as const

export type FailureStatus = keyof typeof meanings

const seconds = { schema: { type: "integer", minimum: 1 } }

const headers: { readonly [status: number]: object } = {
  401: { "www-authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  429: {
    "retry-after": { description: "Seconds to wait.", ...seconds },
    "x-gateway-limit-kind": {
      description: "The limit that was hit, as `kind` in the body.",
      schema: { type: "string" }
    }
  },
  503: { "retry-after": { description: "Seconds to wait, where that may help.", ...seconds } }
}

const failure = (status: FailureStatus) => ({
  description: meanings[status],
  ...(status in headers ? { headers: headers[status] } : {}),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }
})

interface Operation {
  readonly summary: string
  readonly description: string
  /** Statuses it may fail with; all have the one error body. */
  readonly failures: ReadonlyArray<FailureStatus>
  /** Further media types of the request body. */
  readonly alsoReads?: ReadonlyArray<string>
  /** The request body may be left out. */
  readonly bodyOptional?: boolean
}

/**
 * The annotations of one operation. Failures are written here and not as schemas of the endpoint: one schema at several statuses
 * would become as many components.
 */
export const documented = ({ alsoReads = [], bodyOptional, description, failures, summary }: Operation) =>
  OpenApi.annotations({
    summary,
    description,
    transform: (operation) => {
      const { requestBody, responses, ...rest } = operation
      const json = requestBody?.content["application/json"]
      const content = { ...requestBody?.content, ...Object.fromEntries(alsoReads.map((type) => [type, json])) }
      return {
        ...rest,
        ...(requestBody === undefined ? {} : { requestBody: { content, required: bodyOptional !== true } }),
        responses: { ...responses, ...Object.fromEntries(failures.map((status) => [status, failure(status)])) }
      }
    }
  })
