/** What this server shows to people. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { docsPages } from "./Docs.ts"
import { type Page, pageLayer } from "./Page.ts"
import { uiLayer, UiPages } from "./Ui.ts"

// `/`: for a browser the way to a page, for a program what this server is. And the icon that browsers ask for.

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f2a44"/><path d="M6 16h7m0 0 6-7h7m-13 7 6 7h7" fill="none" stroke="#7ee0c3" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><circle cx="13" cy="16" r="3" fill="#fff"/></svg>
`

const iconPage: Page = {
  path: "/favicon.ico",
  contentType: "image/svg+xml",
  text: Effect.succeed(icon)
}

const HOME = "/"

/** Where people begin. Relative, so that it holds behind a proxy that adds a prefix. */
const START = { withUi: "ui/", withoutUi: "docs" }

const about = {
  object: "gateway",
  name: "model-gateway",
  links: {
    api: "/v1",
    description: "/openapi.json",
    docs: "/docs",
    llms: "/llms.txt",
    health: "/healthz",
    readiness: "/readyz"
  }
}

const homePath: Page["path"] = HOME

const homeLayer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* UiPages
    const location = pages.length > 0 ? START.withUi : START.withoutUi
    const links = pages.length > 0 ? { ...about.links, dashboard: "/ui/" } : about.links
    const home = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const vary = { vary: "accept" }
      return headers["accept"]?.includes("text/html") === true
        ? HttpServerResponse.empty({ status: 302, headers: { ...vary, location } })
        : HttpServerResponse.jsonUnsafe({ ...about, links }, { headers: vary })
    })
    yield* router.add("GET", HOME, home)
  })
)

// The documents, for people and programs without a network: each as Markdown at its path in the repository, and all of them as
// `/llms.txt` (what there is) and `/llms-full.txt` (in one). A build has them beside this file; a clone reads its own.

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

const documentPages: ReadonlyArray<Page> = [
  { path: "/llms.txt", contentType: PLAIN, text: overview },
  { path: "/llms-full.txt", contentType: PLAIN, text: whole },
  ...documentNames.map((name): Page => ({
    path: `/${name}`,
    contentType: "text/markdown; charset=utf-8",
    text: Effect.sync(() => read(name))
  }))
]

const pages = [iconPage, ...docsPages, ...documentPages] as const

export const pagesLayer = Layer.mergeAll(homeLayer, uiLayer, ...pages.map(pageLayer))

/** For answers that say which methods a path has. */
export const pagePaths = [homePath, ...pages.map(({ path }) => path)]
