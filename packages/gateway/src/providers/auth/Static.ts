/** Authentications that the key alone decides. */
import type { Auth, AuthHeaders } from "../../core/pool/Auth.ts"

/** `Authorization: Bearer …`. */
export const bearer: Auth = { kind: "static", headers: (key) => ({ authorization: `Bearer ${key}` }) }

/** The key as the value of a header of its own, with headers that are always the same. */
export const header = (name: string, always: AuthHeaders = {}): Auth => ({
  kind: "static",
  headers: (key) => ({ [name]: key, ...always })
})

/** A vendor that wants no key. */
export const none: Auth = { kind: "static", headers: () => ({}) }
