/** Authentications that the key alone decides. */
import type { ReadyAuth } from "../../core/pool/Auth.ts"

export const bearer: ReadyAuth = { kind: "static", headers: (key) => ({ authorization: `Bearer ${key}` }) }

/** The key as the value of a header of its own. */
export const header = (name: string): ReadyAuth => ({ kind: "static", headers: (key) => ({ [name]: key }) })

/** A vendor that wants no key. */
export const none: ReadyAuth = { kind: "static", headers: () => ({}) }
