/** Seeded damage to JSON, to texts and to bytes: the same seed always does the same. */

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export class Chance {
  private state: number
  constructor(seed: number) {
    this.state = seed | 0
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  pick<A>(list: ReadonlyArray<A>): A {
    return list[this.below(list.length)]!
  }

  is(probability: number): boolean {
    return this.next() < probability
  }
}

export const strangeTexts: ReadonlyArray<string> = [
  "",
  " ",
  "\u0000",
  "\r\nX-Evil: 1",
  "\ud800",
  "\u202eevil🜁",
  "../../etc/passwd",
  "%0d%0a%00",
  "__proto__",
  "constructor",
  "auto",
  "data: [DONE]\n\n",
  "[DONE]",
  "null",
  "1e999",
  "${jndi:ldap://x}",
  "x".repeat(5_000),
  "*".repeat(300)
]

/** As JSON texts: some of these no JavaScript value can stand for. */
const strangeJson: ReadonlyArray<string> = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e9",
  "1e999",
  "-1e400",
  "1152921504606846976",
  "9007199254740993",
  "1e-400",
  "[]",
  "{}",
  "[[]]",
  '[null,1,"x",{}]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  `${"[".repeat(40)}${"]".repeat(40)}`,
  `${"[".repeat(90)}${"]".repeat(90)}`,
  `${"[".repeat(6_000)}${"]".repeat(6_000)}`,
  `[${"0,".repeat(3_000)}0]`,
  ...strangeTexts.map((text) => JSON.stringify(text))
]

const MARK = "\u0001here\u0001"

/** One place somewhere in `value` replaced, removed, doubled or wrapped; the JSON text of what came of it. */
export const damagedJson = (value: unknown, chance: Chance): string => {
  const copy = structuredClone(value)
  const places: Array<{ readonly holder: Record<string, unknown> | Array<unknown>; readonly key: string | number }> = []
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    const keys = Array.isArray(node) ? node.map((_, index) => index) : Object.keys(node)
    for (const key of keys) {
      places.push({ holder: node as Record<string, unknown>, key })
      walk((node as Record<string | number, unknown>)[key])
    }
  }
  walk(copy)
  if (places.length === 0) return chance.pick(strangeJson)
  const { holder, key } = chance.pick(places)
  const at = holder as Record<string | number, unknown>
  const old = JSON.stringify(at[key])
  switch (chance.below(8)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete at[key]
      return JSON.stringify(copy)
    case 1:
      if (Array.isArray(holder))
        holder.push(...Array.from({ length: 1 + chance.below(20) }, () => structuredClone(at[key])))
      else at[chance.pick(["__proto__ ", "extra", "", "model", "stream", "usage", "error"])] = at[key]
      return JSON.stringify(copy)
    case 2:
      // Twice the same name: the last one counts.
      at[key] = MARK
      return JSON.stringify(copy).replace(
        JSON.stringify(MARK),
        () => `${old},${JSON.stringify(String(key))}:${chance.pick(strangeJson)}`
      )
    case 3:
      at[key] = [at[key]]
      return JSON.stringify(copy)
    default:
      at[key] = MARK
      return JSON.stringify(copy).replace(JSON.stringify(MARK), () => chance.pick(strangeJson))
  }
}

/** A few bytes flipped, dropped, repeated or cut off. */
export const damagedBytes = (bytes: Buffer, chance: Chance): Buffer => {
  const out = Buffer.from(bytes)
  if (out.length === 0) return Buffer.from([chance.below(256)])
  const at = chance.below(out.length)
  switch (chance.below(6)) {
    case 0:
      return out.subarray(0, at)
    case 1:
      return Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + chance.below(20))])
    case 2: {
      const piece = out.subarray(at, at + 1 + chance.below(64))
      return Buffer.concat([
        out.subarray(0, at),
        ...Array.from({ length: 1 + chance.below(50) }, () => piece),
        out.subarray(at)
      ])
    }
    case 3:
      return Buffer.concat([out.subarray(0, at), Buffer.from(chance.pick(strangeTexts)), out.subarray(at)])
    default:
      for (let flips = 1 + chance.below(4); flips > 0; flips--) out[chance.below(out.length)] = chance.below(256)
      return out
  }
}

/** A piece at a time, anywhere: inside a UTF-8 sequence, too. */
export const inPieces = (bytes: Buffer, chance: Chance): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + chance.below(chance.is(0.2) ? 8 : 2_000)
    pieces.push(bytes.subarray(at, next))
    at = next
  }
  return pieces
}
