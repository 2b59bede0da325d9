/** Text together with where it stands, for names that are looked up later. */
import { decoded } from "./Decode.ts"
import type { Here, Reader } from "./Reader.ts"
import { text } from "./Values.ts"

export interface Name {
  readonly value: string
  readonly here: Here
}

export const name = (allowed: string): Reader<Name> => {
  const read = decoded(text(allowed))
  return (here) => {
    const value = read(here)
    return value === undefined ? undefined : { value, here }
  }
}
