/** Why a store on Postgres can't be used, and what to do: the end of a sentence. */
import type { SqlError } from "effect/sql"
import { codeOf, wordsOf } from "./PostgresErrors.ts"

type Advice = (words: string, schema: string) => string

const unknownAuthority: Advice = () =>
  "its certificate is from an authority that is not known here; name that authority in store.postgres.ca"

const unknownHost: Advice = () => "its host is not known; correct store.postgres.url"

const silent: Advice = () =>
  "there was no response in time; correct host and port in store.postgres.url, or the firewall between"

/**
 * By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or Node's error code
 * (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes; read 2026-11-22).
 */
const byCode: { readonly [code: string]: Advice } = {
  ECONNREFUSED: () => "the connection was refused; start Postgres, or correct host and port in store.postgres.url",
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  CERT_HAS_EXPIRED: () => "its certificate has expired; renew it",
  CERT_NOT_YET_VALID: () => "its certificate is not valid yet; set this machine's clock, or renew the certificate",
  ERR_TLS_CERT_ALTNAME_INVALID: () =>
    "its certificate is for another host; correct the host in store.postgres.url, or the certificate",
  "28P01": () => "the password is wrong; correct it in store.postgres.url",
  "28000": (words) =>
    words.includes("no encryption")
      ? `Postgres refuses the user (${words}); where it wants TLS, add ?sslmode=require to store.postgres.url`
      : `Postgres refuses the user (${words}); correct store.postgres.url or pg_hba.conf`,
  "3D000": (words) => `${words}; create it, or correct store.postgres.url`,
  "42501": (words, schema) => `the role lacks a right (${words}); make it the owner of the schema ${schema}`,
  "53300": (words) =>
    words.includes("for role")
      ? `the role has reached its connection limit (${words}); raise it with ALTER ROLE … CONNECTION LIMIT, or lower store.postgres.connections`
      : words.includes("for database")
        ? `the database has reached its connection limit (${words}); raise it with ALTER DATABASE … CONNECTION LIMIT, or lower store.postgres.connections`
        : `Postgres takes no more connections (${words}); raise max_connections, or lower store.postgres.connections`,
  "57P03": () => "Postgres is starting or stopping; try again"
}

/** Errors of the client itself, which have no code. */
const byWords: ReadonlyArray<readonly [words: RegExp, advice: Advice]> = [
  [/requested password/, () => "Postgres requires a password; add it to store.postgres.url"],
  [
    /does not support TLS/,
    () =>
      "the server offers no TLS, which sslmode or store.postgres.ca requires; enable it there (ssl = on), or remove both settings"
  ],
  [
    /unsupported startup parameter/,
    (words) => `a pooler is in between (${words}); name Postgres itself in store.postgres.url`
  ],
  [/timed out/, silent],
  [
    /closed unexpectedly|maxMessageSize|in response to SSLRequest|SSL response|during startup/,
    () => "the server at this address is not Postgres; correct host and port in store.postgres.url"
  ],
  [/ in URL/, (words) => `${words}; correct store.postgres.url`]
]

export const reasonOf = (schema: string, error: SqlError.SqlError): string => {
  const code = codeOf(error)
  const words = wordsOf(error)
  const advice =
    (code === undefined ? undefined : byCode[code]) ?? byWords.find(([pattern]) => pattern.test(words))?.[1]
  return advice === undefined ? words : advice(words, schema)
}
