/**
 * The documents, for people and programs without a network: each as Markdown at its path in the repository, and all of them as
 * `/llms.txt` (what there is) and `/llms-full.txt` (in one). A build has them beside this file; a clone reads its own.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import type { Page } from "./Page.ts"

const FIRST = "README.md"

const isClone = (folder: URL): boolean => {
  const manifest = new URL("package.json", folder)
  return existsSync(manifest) && readFileSync(manifest, "utf8").includes('"name": "model-gateway-workspace"')
}

/** Has `README.md` and `docs`; undefined where somebody packed the product without them. */
const folder = [new URL("./documents/", import.meta.url), new URL("../../../../../../", import.meta.url)].find(
  (one, index) => (index === 0 ? existsSync(one) : isClone(one))
)

/** `README.md`, `docs/errors.md` …; the first is where one begins. */
const documentNames: ReadonlyArray<string> =
  folder === undefined
    ? []
    : [
        FIRST,
        ...readdirSync(new URL("docs/", folder), { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".md"))
          .map((name) => `docs/${name.replaceAll("\\", "/")}`)
          .toSorted()
      ]

/** One page for each code: listed apart, because there are so many. */
const isOfError = (name: string): boolean => name.startsWith("docs/errors/")

const read = (name: string): string => readFileSync(new URL(name, folder), "utf8")

/** The heading, and what the first paragraph begins with. */
const described = (name: string): string => {
  const lines = read(name).split("\n")
  const title = lines.find((line) => line.startsWith("# "))?.slice(2) ?? name
  const from = lines.findIndex((line) => /^[A-Z`]/.test(line))
  const to = lines.findIndex((line, index) => index > from && line === "")
  const [sentence = ""] = /^.*?(?:\.(?=\s)|[.:]$)/s.exec(lines.slice(from, to).join(" ")) ?? []
  const about = sentence.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/:$/, ".")
  return `- [${title}](${name})${from === -1 || about === "" ? "" : `: ${about}`}`
}

/** As https://llmstxt.org describes it (read 2026-11-22): a title, a summary, links with a word on each. */
const overview = Effect.sync(() =>
  [
    "# Model Gateway",
    "",
    '> One HTTP server in front of model providers, for any OpenAI or Anthropic client: virtual keys with limits and budgets that hold, failover, exact costs, and a router (`model: "auto"`).',
    "",
    "`/v1` takes a virtual key, `/admin` the master key. Every error has a `code`, and each code a page.",
    "",
    "## Documents",
    "",
    ...documentNames.filter((name) => !isOfError(name)).map(described),
    "",
    "## Errors",
    "",
    ...documentNames.filter(isOfError).map(described),
    "",
    "## Of this server",
    "",
    "- [API](openapi.json): every endpoint, field and header, as OpenAPI 3.1",
    "- [All documents in one](llms-full.txt)",
    ""
  ].join("\n")
)

const whole = Effect.sync(() => documentNames.map((name) => `<!-- ${name} -->\n\n${read(name).trim()}\n`).join("\n\n"))

const PLAIN = "text/plain; charset=utf-8"

export const documentPages: ReadonlyArray<Page> = [
  { path: "/llms.txt", contentType: PLAIN, text: overview },
  { path: "/llms-full.txt", contentType: PLAIN, text: whole },
  ...documentNames.map((name): Page => ({
    path: `/${name}`,
    contentType: "text/markdown; charset=utf-8",
    text: Effect.sync(() => read(name))
  }))
]
