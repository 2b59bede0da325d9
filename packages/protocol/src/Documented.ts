/** What the schemas of an operation do not say in the OpenAPI document. */
import { OpenApi } from "effect/http-api"

const meanings = {
  400: "A field of the request is wrong, or the body is no JSON; `param` names the field.",
  401: "No credential, or one that opens nothing (any more); `code` says why.",
  403: "A credential of the other kind, or a model that the key may not use.",
  404: "There is no such thing.",
  409: "The first request with this `Idempotency-Key` still runs, or its answer was too large to be kept, or keys name the team; `code` says which.",
  413: "The body is too large.",
  415: "The body is encoded, or of a media type that is not read here.",
  422: "Another request had this `Idempotency-Key`, with another body.",
  429: "A limit or a budget has no room for the request, or too many wrong credentials came from the address; `kind` says which.",
  500: "The gateway failed.",
  502: "The providers failed.",
  503: "The providers are unavailable, the store is, or the gateway is shutting down; `code` says which.",
  504: "The providers did not answer in time.",
  529: "The providers are unavailable or have too much to do."
} as const

export type FailureStatus = keyof typeof meanings

/** How a call of a model may fail, whatever the operation. */
export const callFailures = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504] as const

const seconds = { schema: { type: "integer", minimum: 1 } }

const headers: { readonly [status: number]: object } = {
  401: { "www-authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  409: { "retry-after": { description: "Seconds to wait, where the first request still runs.", ...seconds } },
  429: {
    "retry-after": { description: "Seconds to wait.", ...seconds },
    "x-gateway-limit-kind": {
      description: "The limit that was hit, as `kind` in the body.",
      schema: { type: "string" }
    }
  },
  503: { "retry-after": { description: "Seconds to wait, where that may help.", ...seconds } }
}

const ERROR = { $ref: "#/components/schemas/Error" }

const failure = (status: FailureStatus, schema: object) => ({
  description: meanings[status],
  ...(status in headers ? { headers: headers[status] } : {}),
  content: { "application/json": { schema } }
})

/** Errors in Anthropic's shape. */
export const anthropicError = {
  type: "object",
  properties: {
    type: { const: "error" },
    error: {
      $ref: "#/components/schemas/Error/properties/error",
      description: "The detail has all fields that it has elsewhere; its type is one of Anthropic's."
    },
    request_id: { type: "string" }
  },
  required: ["type", "error", "request_id"]
}

/** Errors in Google's shape. */
export const googleError = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "integer", description: "The status." },
        message: { type: "string" },
        status: { type: "string", examples: ["INVALID_ARGUMENT"] },
        details: { type: "array", items: { type: "object" }, description: "The gateway's own code is the `reason`." }
      },
      required: ["code", "message", "status", "details"]
    }
  },
  required: ["error"]
}

interface Operation {
  readonly summary: string
  readonly description: string
  /** Statuses it may fail with; all have the same error body. */
  readonly failures: ReadonlyArray<FailureStatus>
  /** The JSON Schema of the error body, where it is not the usual one. */
  readonly error?: object
  /** Further media types of the request body. */
  readonly alsoReads?: ReadonlyArray<string>
  /** The request body may be left out. */
  readonly bodyOptional?: boolean
  /** JSON Schemas of parameters and answer headers that are numbers: they travel as text, and would be described as that. */
  readonly numbers?: { readonly [name: string]: object }
  /** Fields of the operation that OpenAPI does not define, such as `x-gateway-access`. */
  readonly extensions?: { readonly [name: string]: unknown }
}

interface Parameter {
  readonly name: string
}

interface Response {
  readonly headers?: { readonly [name: string]: object }
}

/**
 * The annotations of one operation. Failures are written here and not as schemas of the endpoint: one schema at several statuses
 * would become as many components.
 */
export const documented = (operation: Operation) => {
  const {
    alsoReads = [],
    bodyOptional,
    description,
    error = ERROR,
    extensions,
    failures,
    numbers = {},
    summary
  } = operation
  return OpenApi.annotations({
    summary,
    description,
    transform: ({ parameters, requestBody, responses, ...rest }) => {
      const json = requestBody?.content["application/json"]
      const content = { ...requestBody?.content, ...Object.fromEntries(alsoReads.map((type) => [type, json])) }
      return {
        ...rest,
        ...extensions,
        parameters: parameters.map((parameter: Parameter) => withSchema(parameter, numbers[parameter.name])),
        ...(requestBody === undefined ? {} : { requestBody: { content, required: bodyOptional !== true } }),
        responses: {
          ...mapValues(responses, (response: Response) => withHeaders(response, numbers)),
          ...Object.fromEntries(failures.map((status) => [status, failure(status, error)]))
        }
      }
    }
  })
}

const withSchema = (target: object, schema: object | undefined) =>
  schema === undefined ? target : { ...target, schema }

const withHeaders = (response: Response, numbers: NonNullable<Operation["numbers"]>) =>
  response.headers === undefined
    ? response
    : { ...response, headers: mapValues(response.headers, (header, name) => withSchema(header, numbers[name])) }

const mapValues = <A, B>(record: { readonly [name: string]: A }, f: (value: A, name: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, f(value, name)]))
