/**
 * `npm run docs`: writes the generated documents and builds a site of all documents in `site/dist`, with search and without resources
 * from other hosts. The first run installs the site's tools into `site`, from their own lock file.
 *
 * - `-- --pages` writes the generated documents and builds no site.
 * - `-- --serve [--port 4180]` serves the site after the build.
 * - `-- --base /gateway/` builds it for a path below the host's root.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, extname, join, normalize, relative } from "node:path"
import { parseArgs } from "node:util"
import { checkBuilt } from "../site/build/BuiltLinks.ts"
import { images, pages } from "../site/build/Pages.ts"
import { generatedPages } from "./docs/Generated.ts"

const root = join(import.meta.dirname, "..")
const site = join(root, "site")
const source = join(site, "pages")
const built = join(site, "dist")

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const options = {
  pages: { type: "boolean", default: false },
  serve: { type: "boolean", default: false },
  port: { type: "string", default: "4180" },
  base: { type: "string", default: "/" }
} as const

const read = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)} Options: --pages, --serve, --port, --base.`)
  }
}

const values = read()

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** What a program says is shown where it fails: on a good day it talks of what nobody here can change. */
const run = (program: string, args: ReadonlyArray<string>, what: string): void => {
  const { error, status, stderr, stdout } = spawnSync(program, args, {
    cwd: site,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, DOCS_BASE: values.base }
  })
  if (error !== undefined) fail(`${what}: ${error.message}`)
  if (status !== 0) fail(`${stdout}${stderr}${what} failed; its messages are above.`)
}

const install = (): void => {
  const stamp = join(site, "node_modules", ".made-from")
  const lock = createHash("sha256")
    .update(readFileSync(join(site, "package-lock.json")))
    .digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return
  console.error("Installing VitePress into site/node_modules (about 100 MB, once).")
  const started = performance.now()
  run("npm", ["ci", "--loglevel=error"], "npm ci")
  writeFileSync(stamp, lock)
  console.log(`installed in ${seconds(started)}`)
}

const write = (): number => {
  rmSync(source, { recursive: true, force: true })
  const all = pages()
  for (const { path, text } of all) {
    mkdirSync(dirname(join(source, path)), { recursive: true })
    writeFileSync(join(source, path), text)
  }
  for (const image of images(all)) cpSync(join(root, image), join(source, image))
  return all.length
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2"
}

const serve = (port: number): void => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site")
    const path = decodeURIComponent(pathname.startsWith(values.base) ? pathname.slice(values.base.length) : pathname)
    const wanted = normalize(join(built, path, path === "" || path.endsWith("/") ? "index.html" : ""))
    const isThere = !relative(built, wanted).startsWith("..") && existsSync(wanted) && statSync(wanted).isFile()
    const file = isThere ? wanted : join(built, "404.html")
    response.writeHead(isThere ? 200 : 404, { "content-type": types[extname(file)] ?? "application/octet-stream" })
    response.end(request.method === "HEAD" ? undefined : readFileSync(file))
  })
  server.once("error", (error) => fail(`can't serve the site: ${error.message}; choose another port with --port`))
  server.listen(port, "127.0.0.1", () =>
    console.log(`served on http://127.0.0.1:${port}${values.base} (Ctrl-C stops it)`)
  )
}

if (!/^\/(?:.*\/)?$/.test(values.base))
  fail(`--base ${values.base}: it begins and ends with a slash, such as /gateway/.`)
const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`--port ${values.port}: a number from 0 to 65535.`)
for (const { file, write } of generatedPages) {
  writeFileSync(join(root, file), write())
  console.log(`wrote ${file}`)
}
if (values.pages) process.exit(0)
install()
const started = performance.now()
const written = write()
console.error("Building the site.")
run(join(site, "node_modules", ".bin", "vitepress"), ["build"], "VitePress")
const took = seconds(started)
const { broken, elsewhere, links, pages: found } = checkBuilt(built, values.base)
for (const link of broken) console.error(`leads nowhere: ${link}`)
for (const link of elsewhere) console.error(`is loaded from elsewhere: ${link}`)
if (broken.length + elsewhere.length > 0) fail(`${broken.length + elsewhere.length} links are wrong.`)
const size = (bytesIn(built) / 1e6).toFixed(1)
console.log(
  `${written} documents, ${found} pages, ${links} links that all lead somewhere, ${size} MB, built in ${took}`
)
console.log(`site: ${built}`)
if (values.serve) serve(port)
