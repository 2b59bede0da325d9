/** How a request is put on the wire: as it should be, and in the ways that two servers may read differently. */
import { type Chance, damagedBytes } from "../../support/Mutate.ts"

export interface Draft {
  method: string
  target: string
  headers: Array<readonly [string, string]>
  body: Buffer
}

export const plain = ({ body, headers, method, target }: Draft): Buffer => {
  const sized =
    body.length > 0 || method !== "GET" ? [...headers, ["Content-Length", String(body.length)] as const] : headers
  return Buffer.concat([Buffer.from(head(method, target, sized)), body])
}

/** Latin-1 would lose what header values may not hold: everything goes out as UTF-8. */
const head = (method: string, target: string, headers: ReadonlyArray<readonly [string, string]>): string =>
  `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`

/** One of the wrong ways. */
export const framed = (draft: Draft, chance: Chance): Buffer => {
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

/** In up to five pieces. */
export const cut = (bytes: Buffer, chance: Chance): ReadonlyArray<Buffer> => {
  const places = Array.from({ length: 1 + chance.below(4) }, () => chance.below(bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...places]
    .map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
    .filter((piece) => piece.length > 0)
}
