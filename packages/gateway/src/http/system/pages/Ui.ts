/** `/ui`: the built dashboard. Browsers keep files with hashed names; any other path is the shell. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type Page, pageLayer } from "./Page.ts"

/** Where the build is: beside a bundle, in the compiled library, and from the sources. */
const PLACES = ["./ui/", "../../../ui/", "../../../../dist/ui/"]

const SHELL = "index.html"
const ASSETS = "assets"

/** No text becomes markup or a script: `trusted-types` names no policy that could turn one into the other. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8"
}

/** What is served. Nothing where the configuration wants none, or none was built. */
export const UiPages = Context.Reference<ReadonlyArray<Page>>("gateway/http/UiPages", { defaultValue: () => [] })

export const uiPages = ({ publicPath, ui }: { readonly ui: boolean; readonly publicPath: string }) =>
  Layer.sync(UiPages, () => {
    const folder = ui ? PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(isBuild) : undefined
    return folder === undefined ? [] : pagesIn(folder, `${publicPath.replace(/\/$/, "")}/ui/`)
  })

const isBuild = (folder: string): boolean => existsSync(join(folder, SHELL))

/** Read at once: a newer build must not be mixed with the shell of an older one. */
const pagesIn = (folder: string, base: string): ReadonlyArray<Page> => {
  const shell = readFileSync(join(folder, SHELL), "utf8").replaceAll(/(src|href)="\.\//g, `$1="${base}`)
  const assets = readdirSync(join(folder, ASSETS)).map((name): Page => ({
    path: `/ui/${ASSETS}/${name}`,
    contentType: CONTENT_TYPES[extname(name)] ?? "application/octet-stream",
    text: Effect.succeed(readFileSync(join(folder, ASSETS, name), "utf8")),
    policy: POLICY,
    isImmutable: true
  }))
  return [
    ...assets,
    { path: "/ui/*", contentType: "text/html; charset=utf-8", text: Effect.succeed(shell), policy: POLICY }
  ]
}

export const uiLayer = Layer.unwrap(
  Effect.map(UiPages, (pages) =>
    pages.length === 0 ? Layer.empty : Layer.mergeAll(goneLayer, ...pages.map(pageLayer))
  )
)

/** What is gone from `assets` is an error, and no shell in its place. */
const goneLayer = HttpRouter.use((router) =>
  router.add("GET", `/ui/${ASSETS}/*`, Effect.succeed(HttpServerResponse.empty({ status: 404 })))
)
