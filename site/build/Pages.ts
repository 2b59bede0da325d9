/** The documents as pages of the site: their text, with links to other pages in place of links to files. Pure but for reading them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"

const root = join(import.meta.dirname, "../..")

export interface Page {
  /** In the repository: `docs/README.md`. */
  readonly source: string
  /** In the site: `docs/index.md`. */
  readonly path: string
  readonly text: string
}

const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .toSorted()

/** What the repository has for its readers. */
export const sources = (): ReadonlyArray<string> => [
  "README.md",
  "CONTRIBUTING.md",
  ...markdownIn("docs"),
  ...readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((name) => existsSync(join(root, name)))
]

/** A folder's README is its index. */
export const pathOf = (source: string): string => source.replace(/(^|\/)README\.md$/, "$1index.md")

const IMAGE = /\.(?:png|svg)$/

/** Where a link leads in the site; undefined: to a file that is no page, such as a source. */
const targetOf = (link: string, source: string, known: ReadonlySet<string>): string | undefined => {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [file = "", anchor] = link.split("#")
  const target = posix.normalize(posix.join(dirname(source), file))
  if (IMAGE.test(target)) return link
  if (!known.has(target)) return undefined
  const relative = posix.relative(dirname(pathOf(source)), pathOf(target))
  const path = relative.startsWith(".") ? relative : `./${relative}`
  return anchor === undefined ? path : `${path}#${anchor}`
}

/** Applies `change` to what stands outside of code. */
const outsideOfCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/(^```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("")

const titleIn = (target: string): string | undefined => /^# (.+)$/m.exec(readFileSync(join(root, target), "utf8"))?.[1]

/** In a list of files the name of one is a good word for it; on the site its title is. */
const wordsFor = (words: string, link: string, source: string): string =>
  /^[\w./-]+\.md$/.test(words)
    ? (titleIn(posix.normalize(posix.join(dirname(source), link.split("#")[0] ?? ""))) ?? words)
    : words

const linked = (source: string, text: string, known: ReadonlySet<string>): string =>
  outsideOfCode(text, (prose) =>
    prose.replaceAll(/\[((?:[^[\]]|`[^`]*`)*)\]\(([^)\s]+)\)/g, (_whole, words: string, link: string) => {
      const target = targetOf(link, source, known)
      return target === undefined ? words : `[${wordsFor(words, link, source)}](${target})`
    })
  )

export const pages = (): ReadonlyArray<Page> => {
  const all = sources()
  const known = new Set(all)
  return all.map((source) => ({
    source,
    path: pathOf(source),
    text: linked(source, readFileSync(join(root, source), "utf8"), known)
  }))
}

/** Pictures that the pages show, by where they are in the repository; a folder of the site has the same path. */
export const images = (all: ReadonlyArray<Page>): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ source, text }) =>
      Array.from(text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g), ([, link = ""]) => posix.join(dirname(source), link))
    )
  )
