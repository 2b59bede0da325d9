/** Damages files, and builds ones that contradict themselves: headers, tags, chunks, frames, pages and page trees. */
import { pdfOf, streamOf } from "../../packages/gateway/test/support/Pdf.ts"
import type { Chance } from "../../packages/gateway/test/acceptance/adversary/Chance.ts"

export interface Seed {
  /** Its ending, which is what the request says of its kind. */
  readonly ending: string
  readonly bytes: Buffer
}

type Mutation = (bytes: Buffer, chance: Chance, seeds: ReadonlyArray<Seed>) => Buffer

const pick = <A>(chance: Chance, list: ReadonlyArray<A>): A => list[chance.below(list.length)]!
const NUMBERS = [0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 8_000, 44_100, 65_535, 0x7fffffff, 0xfffffffe, 0xffffffff]

const changed = (bytes: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

/** Mostly near the beginning, where headers are. */
const place = (bytes: Buffer, chance: Chance, room = 0): number =>
  chance.below(Math.max(1, (chance.next() < 0.7 ? Math.min(200, bytes.length) : bytes.length) - room))

const spliced = (bytes: Buffer, at: number, end: number, ...between: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([bytes.subarray(0, at), ...between, bytes.subarray(end)])

const anyFile: ReadonlyArray<Mutation> = [
  (bytes, chance) => changed(bytes, (copy) => (copy[place(copy, chance)] = chance.below(256))),
  (bytes, chance) => changed(bytes, (copy) => copy.writeUInt32LE(pick(chance, NUMBERS), place(copy, chance, 4))),
  (bytes, chance) => changed(bytes, (copy) => copy.writeUInt32BE(pick(chance, NUMBERS), place(copy, chance, 4))),
  (bytes, chance) =>
    changed(bytes, (copy) => copy.writeUInt16LE(pick(chance, NUMBERS) & 0xffff, place(copy, chance, 2))),
  (bytes, chance) => bytes.subarray(0, 64 + chance.below(bytes.length)),
  (bytes, chance) => {
    const [at, from] = [place(bytes, chance), place(bytes, chance)]
    return spliced(bytes, at, at, bytes.subarray(from, from + chance.below(400)))
  },
  (bytes, chance) => {
    const at = place(bytes, chance)
    return spliced(bytes, at, at + 1 + chance.below(60))
  },
  (bytes, chance, seeds) => Buffer.concat([bytes, pick(chance, seeds).bytes]),
  (bytes, chance, seeds) => {
    const at = place(bytes, chance)
    return spliced(bytes, at, at, pick(chance, seeds).bytes)
  }
]

const fourBytes = (value: number): Buffer => changed(Buffer.alloc(4), (copy) => copy.writeUInt32LE(value >>> 0))

/** A WAV file of any bytes, whose header agrees with itself; `wrong`: but for one field. */
const wave = (data: Buffer, chance: Chance, wrong: boolean): Buffer => {
  const [tag, bits] = pick(chance, [
    [1, 8],
    [1, 16],
    [1, 24],
    [3, 32],
    [6, 8],
    [7, 8],
    [0x55, 0],
    [0x11, 4]
  ] as const)
  const [channels, rate] = [1 + chance.below(2), pick(chance, [1, 800, 8_000, 48_000, 192_000])]
  const format = Buffer.alloc(16)
  format.writeUInt16LE(tag, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE((rate * channels * bits) / 8, 8)
  format.writeUInt16LE((channels * bits) / 8, 12)
  format.writeUInt16LE(bits, 14)
  if (wrong) format.writeUInt16LE(pick(chance, NUMBERS) & 0xffff, 2 * chance.below(8))
  const chunk = (name: string, content: Buffer, length = content.length) =>
    Buffer.concat([Buffer.from(name), fourBytes(length), content, Buffer.alloc(content.length & 1)])
  const extra = () =>
    chunk(pick(chance, ["LIST", "fact", "data", "fmt ", "junk", "SMV0"]), fourBytes(pick(chance, NUMBERS)))
  const parts = [chunk("fmt ", format), chunk("data", data, chance.next() < 0.2 ? pick(chance, NUMBERS) : data.length)]
  if (chance.next() < 0.3) parts.splice(chance.below(3), 0, extra())
  const body = Buffer.concat([Buffer.from("WAVE"), ...parts])
  return Buffer.concat([Buffer.from("RIFF"), fourBytes(body.length), body])
}

/** Fields of an Ogg page, with the checksum put right. */
const paged = (bytes: Buffer, chance: Chance): Buffer => {
  const pages: Array<number> = []
  for (let at = bytes.indexOf("OggS"); at >= 0; at = bytes.indexOf("OggS", at + 4)) pages.push(at)
  if (pages.length === 0) return bytes
  const at = pick(chance, pages)
  const end = pages.find((other) => other > at) ?? bytes.length
  return changed(bytes, (copy) => {
    // A byte of the packets, or a field.
    const body: readonly [number, number] = [28 + chance.below(Math.max(1, Math.min(80, end - at - 28))), 1]
    const [field, size] = pick(chance, [
      body,
      body,
      body,
      body,
      [5, 1],
      [6, 4],
      [10, 4],
      [14, 4],
      [18, 4],
      [27, 1],
      [30, 1]
    ] as const)
    copy.writeUIntLE(pick(chance, NUMBERS) % 256 ** size, at + field, size)
    copy.writeUInt32LE(0, at + 22)
    let crc = 0
    for (let byte = at; byte < end; byte++) {
      crc ^= copy[byte]! << 24
      for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0)
    }
    copy.writeUInt32LE(crc >>> 0, at + 22)
  })
}

const tag = (chance: Chance): Buffer => {
  const length = chance.below(300)
  const size = chance.next() < 0.6 ? [0, 0, length >> 7, length & 127] : [0, 0, chance.below(256), chance.below(256)]
  return Buffer.concat([
    Buffer.from("ID3"),
    Buffer.from([pick(chance, [2, 3, 4, 4, 5, 255]), 0, 0, ...size]),
    Buffer.alloc(length)
  ])
}

const sounds: ReadonlyArray<Mutation> = [
  (bytes, chance) => wave(bytes, chance, false),
  (bytes, chance) => wave(bytes.subarray(100), chance, chance.next() < 0.5),
  paged,
  (bytes, chance) => Buffer.concat([tag(chance), bytes]),
  (bytes, chance) => {
    const at = Math.max(bytes.indexOf("Xing"), bytes.indexOf("Info"), bytes.indexOf("fLaC") + 18, 0)
    return changed(bytes, (copy) =>
      copy.writeUInt32BE(pick(chance, NUMBERS), Math.min(copy.length - 4, at + 4 * chance.below(4)))
    )
  },
  (bytes, chance) => {
    const from = bytes.length - chance.below(bytes.length / 2)
    return Buffer.concat([bytes, bytes.subarray(from)])
  }
]

/** The objects of a PDF by number; without those in object streams. */
const objectsIn = (bytes: Buffer): Record<number, string> =>
  Object.fromEntries(
    [...bytes.toString("latin1").matchAll(/(?:^|\n)(\d+) 0 obj\s*([^]*?)\s*endobj/g)].map(([, number, text]) => [
      number!,
      text!
    ])
  )

const rewritten =
  (edit: (text: string, chance: Chance, numbers: ReadonlyArray<string>) => string): Mutation =>
  (bytes, chance) => {
    const objects = objectsIn(bytes)
    const numbers = Object.keys(objects)
    if (numbers.length === 0) return bytes
    const root = numbers.find((number) => objects[Number(number)]!.includes("/Catalog")) ?? "1"
    const chosen = Number(
      pick(
        chance,
        numbers.filter((number) => !objects[Number(number)]!.includes("stream"))
      )
    )
    objects[chosen] = edit(objects[chosen] ?? "", chance, numbers)
    return pdfOf(objects, { trailer: `/Root ${root} 0 R` })
  }

const replaceOne = (text: string, chance: Chance, from: RegExp, to: (found: string) => string): string => {
  const found = [...text.matchAll(from)]
  if (found.length === 0) return text
  const one = pick(chance, found)
  return text.slice(0, one.index) + to(one[0]) + text.slice(one.index + one[0].length)
}

const pdfs: ReadonlyArray<Mutation> = [
  rewritten((text) => text),
  rewritten((text, chance) => replaceOne(text, chance, /\d+ 0 R/g, (found) => `${found} ${found}`)),
  rewritten((text, chance, numbers) => replaceOne(text, chance, /\d+ 0 R/g, () => `${pick(chance, numbers)} 0 R`)),
  rewritten((text, chance) => replaceOne(text, chance, /\/Count \d+/g, () => `/Count ${pick(chance, NUMBERS)}`)),
  rewritten((text, chance) =>
    replaceOne(
      text,
      chance,
      /\/(?:Type|Kids|Page|Pages|Contents)\b/g,
      (found) => `/#${found.charCodeAt(1).toString(16)}${found.slice(2)}`
    )
  ),
  rewritten((text, chance) =>
    replaceOne(
      text,
      chance,
      /[\s/[\]]/g,
      (found) => `${found}${pick(chance, ["% ]\n", "%\n", "% >> endobj\n"])}${found === "/" ? "/" : ""}`
    )
  ),
  rewritten((text, chance, numbers) =>
    text.replace(
      />>\s*$/,
      `/${pick(chance, ["Kids", "Contents", "Type", "Annots", "Count", "Linearized"])} [${pick(chance, numbers)} 0 R] >>`
    )
  ),
  (bytes, chance) => {
    const objects = objectsIn(bytes)
    const text = "BT /helv 9 Tf 50 500 Td (drawn again) Tj ET"
    const draws = "/Again Do ".repeat(1 + chance.below(50))
    const pages = Object.keys(objects).filter((number) => /\/Type\s*\/Page\b/.test(objects[Number(number)]!))
    if (pages.length === 0) return bytes
    const root = Object.keys(objects).find((number) => objects[Number(number)]!.includes("/Catalog")) ?? "1"
    const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    const resources = `/Resources<</Font<</helv ${font}>>/XObject<</Again 900 0 R>>>>`
    const form = streamOf(
      `/Type/XObject/Subtype/Form/BBox[0 0 600 800]${resources}`,
      chance.next() < 0.3 ? text + " " + draws : text
    )
    const page = Number(pick(chance, pages))
    const leaf = objects[page]!.replace(/\/(?:Contents|Resources)\s*(?:\[[^\]]*\]|\d+ 0 R|<<[^]*?>>+)/g, "")
    objects[page] = leaf.replace(/>>\s*$/, `/Contents 901 0 R ${resources}>>`)
    return pdfOf({ ...objects, 900: form, 901: streamOf("", draws) }, { trailer: `/Root ${root} 0 R` })
  },
  (bytes, chance) => {
    const objects = Object.entries(objectsIn(bytes))
    if (objects.length === 0) return bytes
    const [number, text] = pick(chance, objects)
    const again = `${number} 0 obj\n${text.replace(/\/Count \d+/, "/Count 99")}\nendobj\n`
    return Buffer.concat([
      bytes,
      Buffer.from(`${again}trailer\n<</Root ${number} 0 R>>\nstartxref\n${bytes.length}\n%%EOF\n`, "latin1")
    ])
  }
]

const images: ReadonlyArray<Mutation> = [
  (bytes, chance) => spliced(bytes, 33, 33, Buffer.from(bytes.subarray(8, 33)).fill(chance.below(256), 8, 12)),
  (bytes, chance) => {
    const at = bytes.indexOf(Buffer.from([0xff, 0xc0]))
    return at < 0
      ? bytes
      : spliced(
          bytes,
          at,
          at,
          changed(bytes.subarray(at, at + 19), (copy) => (copy[5] = chance.below(256)))
        )
  }
]

export const mutated = ({ bytes, ending }: Seed, chance: Chance, seeds: ReadonlyArray<Seed>): Buffer => {
  const own = ending === "pdf" ? pdfs : ["wav", "mp3", "flac", "ogg"].includes(ending) ? sounds : images
  let result = bytes
  for (let times = 1 + chance.below(2); times > 0; times--) {
    result = pick(chance, chance.next() < 0.7 ? own : anyFile)(result, chance, seeds)
  }
  return result
}
