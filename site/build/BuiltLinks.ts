/** The links of a built site, as a browser follows them: to a file that is there, and to an anchor in it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"

export interface Checked {
  readonly pages: number
  readonly links: number
  /** `docs/keys.html: errors.html#nothing`. */
  readonly broken: ReadonlyArray<string>
  /** Of scripts, styles, pictures and the like that a page loads from elsewhere. */
  readonly elsewhere: ReadonlyArray<string>
}

const fileAt = (path: string): string | undefined => {
  for (const file of [path, join(path, "index.html")]) if (existsSync(file) && statSync(file).isFile()) return file
  return undefined
}

export const checkBuilt = (folder: string, base: string): Checked => {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  const ids = new Map<string, ReadonlySet<string>>()
  const idsOf = (file: string) => {
    const known = ids.get(file)
    if (known !== undefined) return known
    const found = new Set(Array.from(readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id))
    ids.set(file, found)
    return found
  }
  const broken: Array<string> = []
  const elsewhere: Array<string> = []
  let links = 0
  for (const page of pages) {
    const file = join(folder, page)
    const html = readFileSync(file, "utf8")
    for (const [, tag = "", link = ""] of html.matchAll(/<(a|img|script|link)\b[^>]*?\b(?:href|src)="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(link)) {
        if (tag !== "a" && !link.startsWith("data:")) elsewhere.push(`${page}: ${link}`)
        continue
      }
      links++
      const [path = "", anchor] = decodeURI(link).split("#")
      const at = path.startsWith(base)
        ? join(folder, path.slice(base.length))
        : normalize(path === "" ? file : join(dirname(file), path))
      const target = fileAt(at)
      const isThere = target !== undefined && (anchor === undefined || anchor === "" || idsOf(target).has(anchor))
      if (!isThere) broken.push(`${relative(folder, file)}: ${link}`)
    }
  }
  return { pages: pages.length, links, broken, elsewhere }
}
