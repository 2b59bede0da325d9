/** Whom a request is for: its end user and its session, as far as its key lets the request say. */
import { Result } from "effect"
import { InvalidField } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import type { Identity } from "../../core/keys/EndUsers.ts"
import type { RequestBody } from "../../core/operations/RequestBody.ts"
import type { RequestHeaders } from "../routing/Endpoint.ts"

export const SESSION_ID = /^[\x21-\x7e]{1,128}$/

const HEADER = "x-gateway-end-user"
const MOST_BYTES = 256

const NOBODY: Result.Result<Identity, InvalidField> = Result.succeed({ endUser: undefined, session: undefined })

/** The header comes before the body's fields. With a fixed end user nothing else is read. */
export const identityOf = (
  { endUser, key: { rules } }: Caller,
  headers: RequestHeaders,
  body: RequestBody | undefined
): Result.Result<Identity, InvalidField> => {
  const { fixed = null, from = ["header"] } = rules?.endUser ?? {}
  const given = headers["x-gateway-session-id"]
  const session = typeof given === "string" && SESSION_ID.test(given) ? given : undefined
  // The claim of a verified token wins over all that a caller can write.
  if (endUser !== undefined) return Result.succeed({ endUser, session })
  const found =
    fixed !== null
      ? undefined
      : ((from.includes("header") ? inHeader(headers[HEADER]) : undefined) ??
        (from.includes("field") && body !== undefined ? inBody(body) : undefined))
  if (found !== undefined) return Result.map(found, (endUser) => ({ endUser, session }))
  return session === undefined ? NOBODY : Result.succeed({ endUser: undefined, session })
}

const inHeader = (value: RequestHeaders[string]): Result.Result<string, InvalidField> | undefined => {
  if (value === undefined) return undefined
  // A header that is sent twice is joined by a comma and a space, which its encoded value has not.
  if (typeof value !== "string" || !/^[\x21-\x2b\x2d-\x7e]+$/.test(value)) return invalid(HEADER)
  try {
    return checked(HEADER, decodeURIComponent(value))
  } catch {
    return invalid(HEADER)
  }
}

const inBody = (body: RequestBody): Result.Result<string, InvalidField> | undefined => {
  const fields = body.kind === "form" ? body.fields : body.value
  if (!isObject(fields)) return undefined
  for (const name of ["safety_identifier", "user"])
    if (fields[name] !== undefined && fields[name] !== null) return checked(name, fields[name])
  const { metadata } = fields
  const id = isObject(metadata) ? metadata["user_id"] : undefined
  return id === undefined || id === null ? undefined : checked("metadata.user_id", id)
}

/** Whether a text may be the id of an end user. */
export const isEndUserId = (id: string): boolean =>
  id !== "" && id.isWellFormed() && Buffer.byteLength(id) <= MOST_BYTES && !/\p{Cc}/u.test(id)

const checked = (param: string, id: unknown): Result.Result<string, InvalidField> =>
  typeof id === "string" && isEndUserId(id) ? Result.succeed(id) : invalid(param)

const invalid = (param: string): Result.Result<never, InvalidField> =>
  Result.fail(
    new InvalidField({
      param,
      message:
        param === HEADER
          ? `the header X-Gateway-End-User must come once and be the percent-encoded id of an end user: 1 to ${MOST_BYTES} bytes without control characters`
          : `\`${param}\` must be the id of an end user: a string of 1 to ${MOST_BYTES} bytes without control characters`
    })
  )

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
