/** `/`: for a browser the way to a page, for a program what this server is. And the icon that browsers ask for. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Page } from "./Page.ts"
import { UiPages } from "./Ui.ts"

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f2a44"/><path d="M6 16h7m0 0 6-7h7m-13 7 6 7h7" fill="none" stroke="#7ee0c3" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><circle cx="13" cy="16" r="3" fill="#fff"/></svg>
`

export const iconPage: Page = {
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

export const homePath: Page["path"] = HOME

export const homeLayer = HttpRouter.use(
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
