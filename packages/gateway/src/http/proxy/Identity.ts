/** Whom a request is for: its end user and its session, as far as its key lets the request say. */
import { Predicate, Result } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { InvalidField } from "../../core/domain/Errors.ts"
import type { Caller } from "../../core/keys/Caller.ts"
import type { Identity } from "../../core/keys/EndUsers.ts"
import type { RequestBody } from "../../core/operations/RequestBody.ts"
import type { ClientSession } from "./ClientSession.ts"
import type { RequestHeaders } from "../routing/Endpoint.ts"

const HEADER = "x-gateway-end-user"
const MOST_BYTES = 256

/** The header comes before the body's fields. With a fixed end user nothing else is read. */
export const identityOf = (
  { endUser, key: { rules } }: Caller,
  headers: RequestHeaders,
  fields: JsonObject,
  { client, sessionId: session }: ClientSession
): Result.Result<Identity, InvalidField> => {
  const { fixed = null, from = ["header"] } = rules?.endUser ?? {}
  const known = client === "other" ? undefined : client
  // The claim of a verified token wins over all that a caller can write.
  if (endUser !== undefined) return Result.succeed({ endUser, session, client: known })
  const found =
    fixed !== null
      ? undefined
      : ((from.includes("header") ? inHeader(headers[HEADER]) : undefined) ??
        (from.includes("field") ? inBody(fields) : undefined))
  return Result.map(found ?? Result.succeed(undefined), (endUser) => ({ endUser, session, client: known }))
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

export const fieldsOf = (body: RequestBody): JsonObject => {
  const fields = body.kind === "form" ? body.fields : body.value
  return Predicate.isObject(fields) ? fields : {}
}

const inBody = (fields: JsonObject): Result.Result<string, InvalidField> | undefined => {
  for (const name of ["safety_identifier", "user"])
    if (fields[name] !== undefined && fields[name] !== null) return checked(name, fields[name])
  const { metadata } = fields
  const id = Predicate.isObject(metadata) ? metadata["user_id"] : undefined
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
