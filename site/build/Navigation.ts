/** The site's navigation, read from `docs/README.md`: its headings are the groups, its list the pages. A page that it does not name comes last. */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { pathOf, sources } from "./Pages.ts"

const INDEX = "docs/README.md"
const root = join(import.meta.dirname, "../..")

interface Entry {
  readonly text: string
  /** `/docs/errors.html#what`. */
  readonly link: string
}

interface Group {
  readonly text: string
  readonly items: ReadonlyArray<Entry>
}

const webPath = (source: string): string =>
  `/${pathOf(source)
    .replace(/index\.md$/, "")
    .replace(/\.md$/, ".html")}`

const titleOf = (source: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(root, source), "utf8"))?.[1]?.replaceAll("`", "") ?? source

const entryOf = (line: string): Entry | undefined => {
  const [, text = "", link = ""] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? []
  const [file = "", anchor] = link.split("#")
  const source = posix.normalize(posix.join("docs", file))
  if (!sources().includes(source)) return undefined
  const plain = text.replaceAll("`", "")
  return { text: plain, link: anchor === undefined ? webPath(source) : `${webPath(source)}#${anchor}` }
}

/** Pages of these folders are reached from a page that lists them. */
const LISTED_ELSEWHERE = /^(?:README\.md$|docs\/README\.md$|docs\/errors\/|packages\/)/

export const navigation = (): ReadonlyArray<Group> => {
  const groups = readFileSync(join(root, INDEX), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [text = "", ...lines] = part.split("\n")
      return { text, items: lines.map(entryOf).filter((entry) => entry !== undefined) }
    })
  const named = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link.split("#")[0])))
  const rest = sources()
    .filter((source) => !LISTED_ELSEWHERE.test(source) && !named.has(webPath(source)))
    .map((source) => ({ text: titleOf(source), link: webPath(source) }))
  return rest.length === 0 ? groups : [...groups, { text: "More", items: rest }]
}

/** The pages of all codes, below "Errors". */
export const errorPages = (): ReadonlyArray<Entry> =>
  sources()
    .filter((source) => source.startsWith("docs/errors/"))
    .map((source) => ({ text: titleOf(source), link: webPath(source) }))
