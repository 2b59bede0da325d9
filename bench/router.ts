/**
 * How good the router is: labelled prompts by three protocols, paraphrases, prompts as people write them, hand-written ladders, other languages, hostile input
 * and time per decision.
 *
 *   npm run bench:router -- [--only a,b,c,paraphrase,words,chats,effort,languages,hostile,time] [--seed N] [--draws N] [--json]
 *                           [--first-split N] [--picture FILE] [--docs]
 *
 * Labels are read from `router/` under `GATEWAY_DATA`, else `../shared/data`. Nothing is trained that ships, and nothing may be tuned
 * by what this prints. `--first-split` has B and C hold out other prompts: those of the splits from N on, where 1 is shown. `--docs` brings
 * docs/routing-evaluation.md and its picture up to date. The last line is everything as one JSON object. Figures never fail; exit code 1 means
 * that data were missing.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { seededRandom } from "../packages/router-lab/src/SeededRandom.ts"
import { dataFolder, root } from "../scripts/router/data.ts"
import { machine, say } from "./Bench.ts"
import { replaceMarked } from "./router/Docs.ts"
import { asPeopleWrite, otherWords } from "./router/Chats.ts"
import { effort, otherLanguages } from "./router/Effort.ts"
import { fit } from "./router/Fit.ts"
import { hostile } from "./router/Hostile.ts"
import { panelsOf, pictureOf } from "./router/Picture.ts"
import type { Random } from "./router/Prose.ts"
import { protocolA, protocolB, protocolC } from "./router/Protocols.ts"
import { asMarkdown, asText, type Section, targetTable } from "./router/Report.ts"
import { stability } from "./router/Stability.ts"
import { timing } from "./router/Timing.ts"

interface Part {
  readonly name: string
  readonly needsData: boolean
  readonly run: (folder: string | undefined, random: Random, draws: number, firstSplit: number) => Section
}

const parts: ReadonlyArray<Part> = [
  { name: "a", needsData: true, run: (folder, random, draws) => protocolA(folder!, random, draws) },
  { name: "b", needsData: true, run: (folder, ...how) => protocolB(folder!, fit, ...how) },
  { name: "c", needsData: true, run: (folder, ...how) => protocolC(folder!, fit, ...how) },
  { name: "paraphrase", needsData: false, run: stability },
  { name: "words", needsData: false, run: (_, random) => otherWords(random) },
  { name: "chats", needsData: false, run: asPeopleWrite },
  { name: "effort", needsData: false, run: effort },
  { name: "languages", needsData: false, run: otherLanguages },
  { name: "hostile", needsData: false, run: (_, random) => hostile(random) },
  { name: "time", needsData: false, run: timing }
]

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    draws: { type: "string", default: "1000" },
    "first-split": { type: "string", default: "1" },
    picture: { type: "string" },
    docs: { type: "boolean", default: false },
    json: { type: "boolean", default: false }
  },
  // `npm run bench` gives the options of one bench to all.
  strict: false
})

const wrongUsage = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const whole = (name: "seed" | "draws" | "first-split"): number => {
  const value = Number(values[name])
  return Number.isInteger(value) && value > 0
    ? value
    : wrongUsage(`--${name} must be a whole number above 0, not ${values[name]}`)
}

const chosen = (): ReadonlyArray<Part> => {
  if (values.only === undefined) return parts
  const names = String(values.only).split(",")
  const unknown = names.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined)
    wrongUsage(`--only: there is no part "${unknown}"; there are ${parts.map(({ name }) => name).join(", ")}`)
  return parts.filter(({ name }) => names.includes(name))
}

const [seed, draws, firstSplit] = [whole("seed"), whole("draws"), whole("first-split")]
const [wanted, folder] = [chosen(), dataFolder()]
if (values.docs === true && (values.only !== undefined || firstSplit !== 1 || folder === undefined))
  wrongUsage(
    "--docs needs all parts, the first splits and the data: leave --only and --first-split away, and set GATEWAY_DATA"
  )

const sections = wanted
  .filter(({ needsData }) => folder !== undefined || !needsData)
  .map(({ name, run }) => {
    say(`bench:router: ${name}`)
    // A stream of its own for each part: leaving one out changes no other.
    const section = run(folder, seededRandom(seed), draws, firstSplit)
    if (values.json !== true) for (const table of section.tables) console.log(`${asText(table)}\n`)
    return { name, section }
  })

const targets = sections.flatMap(({ section }) => section.targets)
const at = new Date().toISOString()
if (values.json !== true && targets.length > 0) console.log(`${asText(targetTable(targets))}\n`)
const missing = wanted.filter(({ needsData }) => needsData && folder === undefined).map(({ name }) => name)
if (missing.length > 0 || (folder === undefined && values.picture !== undefined)) {
  console.error(
    `bench:router: without the labelled prompts there is no ${[...missing, ...(values.picture === undefined ? [] : ["picture"])].join(", ")}; set GATEWAY_DATA to the folder that holds router/train_pool.jsonl.gz`
  )
  process.exitCode = 1
}
const picture = values.picture ?? (values.docs === true ? join(root, "docs/routing.svg") : undefined)
if (folder !== undefined && picture !== undefined) {
  writeFileSync(String(picture), pictureOf(panelsOf(folder)))
  say(`bench:router: wrote ${picture}`)
}
if (values.docs === true) {
  const file = join(root, "docs/routing-evaluation.md")
  const { cores, cpu, node } = machine()
  const head = `\`npm run bench:router\`, ${at.slice(0, 10)}, seed ${seed}, ${draws} draws; ${cpu}, ${cores} shared cores, Node ${node.slice(1)}. In brackets the middle 95 % of a bootstrap.`
  const tables = [targetTable(targets), ...sections.flatMap(({ section }) => section.tables)]
  writeFileSync(file, replaceMarked(readFileSync(file, "utf8"), [head, ...tables.map(asMarkdown)].join("\n\n")))
  say(`bench:router: wrote the tables into ${file}`)
}
const figures = Object.fromEntries(sections.map(({ name, section }) => [name, section.figures]))
console.log(JSON.stringify({ bench: "router", at, machine: machine(), seed, draws, firstSplit, targets, ...figures }))
