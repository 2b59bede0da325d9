/** One damaged request from a seed and a number: the same two always make the same bytes. */
import { Chance, damagedBytes, damagedJson, strangeTexts } from "../../support/Mutate.ts"
import { cut, type Draft, framed, plain } from "./Framings.ts"
import { type Template, templatesFor, type World } from "./Templates.ts"

export const kinds = ["none", "byte", "json", "header", "path", "framing", "credential"] as const
export type Kind = (typeof kinds)[number]

export interface Mutation {
  readonly number: number
  readonly kind: Kind
  readonly template: Template
  readonly pieces: ReadonlyArray<Buffer>
  /** Milliseconds between pieces. */
  readonly pause: number
  /** Hangs up its side after the last piece. */
  readonly end: boolean
}

export const mutationOf = (seed: number, number: number, world: World): Mutation => {
  const chance = new Chance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
  const template = chance.pick(templatesFor(world))
  const kind = chance.is(0.05) ? "none" : chance.pick(kinds.slice(1))
  // A form is a text already; it is damaged byte by byte.
  const isForm = typeof template.body === "string"
  const body =
    template.body === undefined
      ? ""
      : isForm
        ? String(template.body)
        : kind === "json"
          ? damagedJson(template.body, chance)
          : JSON.stringify(template.body)
  const draft: Draft = {
    method: template.method,
    target: template.target,
    headers: [
      ["Host", world.host],
      ...authorization(template.credential, world),
      ...(template.body === undefined || isForm ? [] : ([["Content-Type", "application/json"]] as const)),
      ...(template.headers ?? []),
      // As if they came from many places: else all share one count of wrong credentials.
      ...(chance.is(0.5) ? ([["X-Forwarded-For", `203.0.113.${chance.below(50)}`]] as const) : [])
    ],
    body: Buffer.from(body)
  }
  if (kind === "credential") damageCredential(draft, chance, world)
  if (kind === "path") draft.target = damagedTarget(draft.target, chance)
  if (kind === "header") damageHeaders(draft, chance)
  const bytes = kind === "framing" ? framed(draft, chance) : plain(draft)
  const sent = kind === "byte" || (isForm && kind === "json") ? damagedBytes(bytes, chance) : bytes
  const isSlow = chance.is(0.02)
  return {
    number,
    kind,
    template,
    pieces: isSlow || chance.is(0.1) ? cut(sent, chance) : [sent],
    pause: isSlow ? 30 : 0,
    end: chance.is(0.1)
  }
}

const authorization = (credential: Template["credential"], world: World): ReadonlyArray<readonly [string, string]> => {
  const key = { virtual: world.key, poor: world.poorKey, master: world.masterKey, none: undefined }[credential]
  return key === undefined ? [] : [["Authorization", `Bearer ${key}`]]
}

const damageCredential = (draft: Draft, chance: Chance, world: World): void => {
  const others = draft.headers.filter(([name]) => name !== "Authorization")
  const right = draft.headers.find(([name]) => name === "Authorization")?.[1] ?? `Bearer ${world.key}`
  const at = 8 + chance.below(Math.max(1, right.length - 8))
  const flipped = `${right.slice(0, at)}${chance.pick(["a", "Z", "0", "_", "é", " "])}${right.slice(at + 1)}`
  const value = chance.pick([
    flipped,
    flipped,
    right.slice(0, at),
    `${right}x`,
    right.slice(7),
    `Basic ${Buffer.from(right).toString("base64")}`,
    `Bearer ${world.masterKey}`,
    `Bearer ${world.key}`,
    `Bearer ${world.key}, Bearer ${world.masterKey}`,
    `Bearer mgw_${"0".repeat(12)}_${"0".repeat(49)}`,
    "Bearer",
    `Bearer ${"x".repeat(10_000)}`,
    ...strangeTexts.filter((text) => !/[\r\n\0]/.test(text)).map((text) => `Bearer ${text}`)
  ])
  const name = chance.pick(["Authorization", "authorization", "x-api-key", "api-key", "x-goog-api-key", "Cookie"])
  draft.headers = [...others, [name, value], ...(chance.is(0.1) ? ([["Authorization", right]] as const) : [])]
}

const damagedTarget = (target: string, chance: Chance): string => {
  const at = chance.below(target.length)
  const encoded = `%${target.charCodeAt(at).toString(16).padStart(2, "0")}`
  return chance.pick([
    `/${target}`,
    target.replaceAll("/", "//"),
    target.toUpperCase(),
    `${target.slice(0, at)}${encoded}${target.slice(at + 1)}`,
    target.replaceAll("/", "%2f"),
    target.replaceAll("/", "%5c"),
    target.replaceAll("/", "\\"),
    `${target};x=1`,
    `${target}/`,
    `/.${target}`,
    `/v1/..${target}`,
    `/admin/%2e%2e${target}`,
    `${target}%00`,
    `${target}?`,
    `${target}#x`,
    `${target}?${"a=b&".repeat(1_000)}`,
    `${target}&limit=1e999&from=__proto__&tz=../../x&group_by=%00`,
    `http://evil.example${target}`,
    `HTTPS://u:p@evil.example:99999${target}`,
    `//evil.example${target}`,
    `javascript:${target}`,
    target.slice(1),
    "*",
    "",
    " ",
    `${target} x`,
    `/${"a/".repeat(2_000)}`,
    `${target.slice(0, at)}${chance.pick(strangeTexts)}${target.slice(at)}`,
    `${target.slice(0, at)}${encodeURIComponent(chance.pick(strangeTexts).toWellFormed())}${target.slice(at)}`
  ])
}

const damageHeaders = (draft: Draft, chance: Chance): void => {
  const at = chance.below(draft.headers.length)
  const one = draft.headers[at]!
  const strange = chance.pick(strangeTexts)
  const added: ReadonlyArray<readonly [string, string]> = [
    [
      "Content-Type",
      chance.pick([
        "text/plain",
        "application/json; charset=utf-16",
        "multipart/form-data; boundary=x",
        "application/JSON",
        strange
      ])
    ],
    ["Content-Encoding", chance.pick(["gzip", "br", "identity", "x", strange])],
    ["Expect", chance.pick(["100-continue", "200-ok", strange])],
    ["Upgrade", chance.pick(["websocket", "h2c", strange])],
    ["Connection", chance.pick(["close", "keep-alive", "Upgrade", "Authorization", strange])],
    ["X-Gateway-Tags", chance.pick(["a b", ",,,", "a".repeat(100), strange])],
    ["X-Gateway-Stream-Recovery", strange],
    ["X-Gateway-Session-Id", strange],
    ["X-Request-Id", strange],
    ["X-Forwarded-For", chance.pick(["1.1.1.1", "garbage", "::1, [::1]:1, 1.2.3.4:5", ",".repeat(5_000), strange])],
    ["Accept-Encoding", "gzip"],
    ["Origin", "https://evil.example"],
    ["X-HTTP-Method-Override", "DELETE"],
    ["X-Original-URL", "/admin/keys"],
    ["Range", "bytes=0-0"],
    ["If-None-Match", "*"],
    ["Idempotency-Key", strange],
    ["Transfer-Encoding", "identity"],
    ["X-Big", "x".repeat(chance.pick([1_000, 16_000, 31_000, 40_000]))]
  ]
  switch (chance.below(5)) {
    case 0:
      draft.headers.splice(at, 1)
      break
    case 1:
      draft.headers.push(one, one)
      break
    case 2:
      draft.headers[at] = [one[0], chance.pick([strange, "", `${one[1]}\r\nX-Evil: 1`, ` ${one[1]} `])]
      break
    case 3:
      draft.headers.push(...Array.from({ length: chance.pick([10, 500, 2_500]) }, (_, n) => [`x-${n}`, "y"] as const))
      break
    default:
      draft.headers.push(chance.pick(added))
  }
}
