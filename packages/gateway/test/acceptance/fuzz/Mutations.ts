/** One damaged request from a seed and a number: the same two always make the same bytes. */
import { Chance, damagedBytes, damagedJson, strangeTexts } from "../../support/Mutate.ts"
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

interface Draft {
  method: string
  target: string
  headers: Array<readonly [string, string]>
  body: Buffer
}

export const mutationOf = (seed: number, number: number, world: World): Mutation => {
  const chance = new Chance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
  const template = chance.pick(templatesFor(world))
  const kind = chance.is(0.05) ? "none" : chance.pick(kinds.slice(1))
  const body =
    template.body === undefined
      ? ""
      : kind === "json"
        ? damagedJson(template.body, chance)
        : JSON.stringify(template.body)
  const draft: Draft = {
    method: template.method,
    target: template.target,
    headers: [
      ["Host", world.host],
      ...authorization(template.credential, world),
      ...(template.body === undefined ? [] : ([["Content-Type", "application/json"]] as const)),
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
  const sent = kind === "byte" ? damagedBytes(bytes, chance) : bytes
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

const plain = ({ body, headers, method, target }: Draft): Buffer => {
  const sized =
    body.length > 0 || method !== "GET" ? [...headers, ["Content-Length", String(body.length)] as const] : headers
  return Buffer.concat([Buffer.from(head(method, target, sized)), body])
}

/** Latin-1 would lose what header values may not hold: everything goes out as UTF-8. */
const head = (method: string, target: string, headers: ReadonlyArray<readonly [string, string]>): string =>
  `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`

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

const framed = (draft: Draft, chance: Chance): Buffer => {
  const { body, headers, method, target } = draft
  const length = body.length
  const chunk = (piece: Buffer) =>
    Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
  const chunked = (end = "0\r\n\r\n") => Buffer.concat([...cut(body, chance).map(chunk), Buffer.from(end)])
  const as = (
    more: ReadonlyArray<readonly [string, string]>,
    content: Buffer,
    text = head(method, target, [...headers, ...more])
  ) => Buffer.concat([Buffer.from(text), content])
  const te = ["Transfer-Encoding", "chunked"] as const
  const cl = (value: number | string) => ["Content-Length", String(value)] as const
  const whole = plain(draft)
  switch (chance.below(18)) {
    case 0:
      return as([te], chunked())
    case 1:
      return as([te, cl(length)], chunked())
    case 2:
      return as([cl(length), cl(length + 1)], body)
    case 3:
      return as([cl(length + 1 + chance.below(1_000))], body)
    case 4:
      return as([cl(Math.max(0, length - 1 - chance.below(20)))], body)
    case 5:
      return as(
        [cl(chance.pick(["-1", "+1", "1e3", "0x10", "9".repeat(30), "", " ", "1,1", "11000000", "9007199254740993"]))],
        body
      )
    case 6:
      return as([te], chunked(""))
    case 7:
      return as([te], damagedBytes(chunked(), chance))
    case 8:
      return as(
        [te],
        Buffer.from(
          chance.pick([
            "zz\r\n",
            "-5\r\n",
            "ffffffffffffffffff\r\n",
            "5;x=y\r\nhello\r\n0\r\n\r\n",
            "0\r\nX-Evil: 1\r\n\r\n",
            "5\r\nhello"
          ])
        )
      )
    case 9:
      return Buffer.concat([whole, whole, whole])
    case 10:
      return Buffer.concat([whole, Buffer.from(chance.pick(["GARBAGE\r\n\r\n", "\r\n\r\n", "\u0000\u0000"]))])
    case 11:
      return as([cl(length)], body, head(method, target, [...headers, cl(length)]).replaceAll("\r\n", "\n"))
    case 12:
      return as(
        [],
        body,
        head(method, target, [...headers, cl(length)]).replace(
          "HTTP/1.1",
          chance.pick(["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", ""])
        )
      )
    case 13:
      return as(
        [],
        body,
        head(
          chance.pick([
            "CONNECT",
            "TRACE",
            "OPTIONS",
            "PROPFIND",
            "BREW",
            "get",
            "G\u0000T",
            "PUT",
            "DELETE",
            "HEAD",
            ""
          ]),
          target,
          [...headers, cl(length)]
        )
      )
    case 14:
      return as([["X-Fold", "a\r\n b"], cl(length)], body)
    case 15:
      return whole.subarray(0, chance.below(whole.length))
    case 16:
      return as(
        [
          [
            "Transfer-Encoding",
            chance.pick([
              "xchunked",
              "gzip, chunked",
              "chunked, gzip",
              "chunked, chunked",
              " chunked",
              "identity",
              "CHUNKED"
            ])
          ]
        ],
        chunked()
      )
    default: {
      // Large, and no JSON for long.
      const unit = chance.pick(["[", '{"a":', '"', " ", "0,", "\\", "\u00ff"])
      const large = Buffer.from(
        unit.repeat(Math.floor(chance.pick([100_000, 1_000_000, 9_000_000, 12_000_000]) / unit.length))
      )
      return as([cl(large.length)], large)
    }
  }
}

const cut = (bytes: Buffer, chance: Chance): ReadonlyArray<Buffer> => {
  const places = Array.from({ length: 1 + chance.below(4) }, () => chance.below(bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...places]
    .map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
    .filter((piece) => piece.length > 0)
}
