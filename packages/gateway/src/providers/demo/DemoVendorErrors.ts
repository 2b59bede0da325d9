/** The demo vendor's errors: OpenAI's shape and words, so that what reads those reads these. */

export interface VendorError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
  /** Seconds, for the `retry-after` header. */
  readonly retryAfter?: number
}

export const errorBody = ({ message, type, param, code }: VendorError): string =>
  JSON.stringify({ error: { message, type, param, code } })

export const invalidRequest = (message: string, param: string | null, code: string | null = null): VendorError => ({
  status: 400,
  message,
  type: "invalid_request_error",
  param,
  code
})

export const unknownPath = (path: string): VendorError => ({
  ...invalidRequest(`Invalid URL (POST ${path})`, null),
  status: 404
})

export const modelNotFound = (model: string): VendorError => ({
  ...invalidRequest(`The model \`${model}\` does not exist or you do not have access to it.`, null, "model_not_found"),
  status: 404
})

export const contextTooLong = (window: number, asked: number, input: number): VendorError =>
  invalidRequest(
    `This model's maximum context length is ${window} tokens. However, you requested ${asked + input} tokens ` +
      `(${input} in the messages, ${asked} in the completion). Please reduce the length of the messages or completion.`,
    "messages",
    "context_length_exceeded"
  )

/** The type and code that a vendor puts beside a status. */
const usual: { readonly [status: number]: readonly [string, string | null] } = {
  400: ["invalid_request_error", null],
  401: ["invalid_request_error", "invalid_api_key"],
  402: ["insufficient_quota", "insufficient_quota"],
  403: ["permission_error", "insufficient_permissions"],
  404: ["invalid_request_error", "model_not_found"],
  413: ["invalid_request_error", "request_too_large"],
  429: ["requests", "rate_limit_exceeded"],
  529: ["overloaded_error", "overloaded"]
}

/** The error of any status, in the vendor's way; a 429 asks for a wait of one second. */
export const errorOf = (status: number, message = `This model always answers ${status}.`): VendorError => {
  const [type, code] = usual[status] ?? (status >= 500 ? ["server_error", null] : ["invalid_request_error", null])
  return { status, message, type, param: null, code, ...(status === 429 ? { retryAfter: 1 } : {}) }
}
