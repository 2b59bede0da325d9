/** Which database a store is in, without who may open it. */
import { Redacted } from "effect"

/** `host:port/database` of a connection URL: without the user and the password. */
export const placeOf = (url: Redacted.Redacted<string>): string => {
  const parsed = URL.parse(Redacted.value(url))
  if (parsed === null) return "the address in store.postgres.url"
  const { hostname, pathname, port, searchParams } = parsed
  const host = hostname || searchParams.get("host") || "localhost"
  return `${host}:${port || "5432"}${pathname === "" ? "/" : pathname}`
}
