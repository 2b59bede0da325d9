/**
 * Compares what the gateway reads of files with what other readers do, after mutations of their headers, frames and page trees. A budget
 * reserves what the gateway reads: no reader may read more.
 *
 * Exit code 1 when one does, or when the gateway does not know an intact file.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { createInterface } from "node:readline"
import { imageSize, pdfContents, soundSeconds } from "../packages/protocol/src/files/index.ts"
import { chanceOf } from "../packages/gateway/test/acceptance/adversary/Chance.ts"
import { commandLine, refuse, whole } from "./CommandLine.ts"
import { mutated, type Seed } from "./files/Mutations.ts"

const help = `Compares what the gateway reads of mutated files with FFmpeg, libsndfile, pypdf and MuPDF.

npm run files -- [--count N] [--seed N] [--keep FOLDER]

Needs python3 with av, numpy, soundfile, pypdf and pymupdf (python3 -m pip install av numpy soundfile pypdf pymupdf).

--count N      so many mutations (10000)
--seed N       the mutations of a seed are always the same (1)
--python PATH  the Python to use (python3)
--keep FOLDER  where files go of which a reader reads more`

const values = commandLine(help, {
  count: { type: "string", default: "10000" },
  seed: { type: "string", default: "1" },
  python: { type: "string", default: "python3" },
  keep: { type: "string" }
})
const count = whole("count", values.count, 1)
const seed = whole("seed", values.seed, 0)

const SCRIPT = join(import.meta.dirname, "files", "readers.py")
const ROOM = 32 * 1024 * 1024
/** Seconds by which readings may differ in rounding. A budget reserves a second more than it reads. */
const ROUNDING = 0.05

/** Mutations by kind of file: most of what changes a PDF or a recording leaves it unknown. */
const ENDINGS = ["pdf", "pdf", "pdf", "wav", "wav", "mp3", "mp3", "flac", "ogg", "png", "jpg", "gif", "webp"]

const folder = mkdtempSync(join(tmpdir(), "files-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const made = spawnSync(values.python, [SCRIPT, "seeds", folder], { encoding: "utf8" })
if (made.status !== 0) refuse(`${values.python} can't make the files: ${made.stderr.trim().split("\n").at(-1)}`)

/** What is read: seconds; pages and bytes of text; width and height. */
type Reading = ReadonlyArray<number>

const here = ({ bytes, ending }: Seed): Reading | undefined => {
  if (ending === "pdf") {
    const { contents } = pdfContents(bytes, ROOM)
    return contents === undefined ? undefined : [contents.pages, contents.textBytes]
  }
  const seconds = ["wav", "mp3", "flac", "ogg"].includes(ending) ? soundSeconds(bytes, [ending]) : undefined
  if (seconds !== undefined) return [seconds + ROUNDING]
  const size = imageSize(bytes, `image/${ending}`)
  return size === undefined ? undefined : [size.width, size.height]
}

const python = spawn(values.python, [SCRIPT, "read"], { stdio: ["pipe", "pipe", "ignore"] })
const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]()

const elsewhere = async (path: string): Promise<Readonly<Record<string, number | Reading>>> => {
  python.stdin.write(`${path}\n`)
  const line = await lines.next()
  return line.done === true ? refuse(`${values.python} ended at ${path}`) : JSON.parse(line.value)
}

const table = new Map<string, { files: number; known: number; read: number }>()
let failures = 0

/** Whether the gateway knows the file. */
const compare = async (one: Seed, name: string): Promise<boolean> => {
  const row = table.get(one.ending) ?? { files: 0, known: 0, read: 0 }
  table.set(one.ending, row)
  row.files++
  const known = here(one)
  if (known === undefined) return false
  row.known++
  const path = join(folder, `mutation.${one.ending}`)
  writeFileSync(path, one.bytes)
  const readings = Object.entries(await elsewhere(path))
  if (readings.length > 0) row.read++
  for (const [reader, given] of readings) {
    const reading = typeof given === "number" ? [given] : given
    if (reading.every((value, at) => value <= known[at]!)) continue
    failures++
    console.log(`${name}: ${reader} reads ${reading.join(", ")}, the gateway ${known.join(", ")}`)
    if (values.keep !== undefined) writeFileSync(join(values.keep, `${failures}-${name}.${one.ending}`), one.bytes)
  }
  return true
}

const names = readdirSync(folder).toSorted()
const seeds = names.map((name): Seed => ({ ending: extname(name).slice(1), bytes: readFileSync(join(folder, name)) }))
for (const [index, one] of seeds.entries()) {
  if (await compare(one, names[index]!)) continue
  failures++
  console.log(`${names[index]!}: the gateway does not know this intact file`)
}
const began = performance.now()
for (let number = 1; number <= count; number++) {
  const chance = chanceOf(seed, `file ${number}`)
  const ending = ENDINGS[chance.below(ENDINGS.length)]!
  const own = seeds.filter((one) => one.ending === ending)
  const one = own[chance.below(own.length)]!
  await compare({ ending: one.ending, bytes: mutated(one, chance, seeds) }, `mutation-${number}`)
  if (number % 1_000 === 0) console.log(`${number} of ${count}, ${Math.round((performance.now() - began) / 1000)} s`)
}
python.stdin.end()
console.log("kind    files   known to the gateway   of these, read by others")
for (const [ending, { files, known, read }] of table) {
  console.log(
    `${ending.padEnd(6)}${String(files).padStart(7)}${String(known).padStart(23)}${String(read).padStart(27)}`
  )
}
console.log(failures === 0 ? "No reader reads more than the gateway." : `${failures} readings are above the gateway's.`)
process.exitCode = failures === 0 ? 0 : 1
