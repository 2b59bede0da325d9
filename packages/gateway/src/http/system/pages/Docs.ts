/** `/docs`: the API for people, to read and to try. Its script comes from here, so it works without the network. */
import { Api } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import type { Page } from "./Page.ts"

const shell = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Model Gateway API</title>
    <meta name="description" content="Every endpoint of this gateway: parameters, responses and errors.">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="favicon.ico" type="image/svg+xml">
    <link rel="preload" href="docs/reference.js" as="script">
    <link rel="stylesheet" href="docs/style.css">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same description, for programs: <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="reference"><p id="loading">Loading the description of the API …</p></div>
    <script src="docs/reference.js" defer></script>
    <script src="docs/start.js" defer></script>
  </body>
</html>
`

/** The tools are the vendor's own and send people elsewhere: sharing, generated clients, a desktop program. */
const start = `const reference = document.getElementById("reference")
reference.textContent = ""
window.Scalar.createApiReference(reference, {
  url: "openapi.json",
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "direct"
})
// What a reader of the screen would stumble over in the vendor's markup.
const mend = () => {
  for (const one of reference.querySelectorAll("button[aria-selected]:not([role])")) one.removeAttribute("aria-selected")
  for (const one of document.querySelectorAll("button[role=search]")) {
    one.removeAttribute("role")
    one.setAttribute("aria-label", "Search")
  }
  for (const one of reference.querySelectorAll("button button, button a, button [tabindex]")) {
    one.removeAttribute("tabindex")
    one.removeAttribute("role")
  }
}
let due = false
new MutationObserver(() => {
  if (due) return
  due = true
  requestAnimationFrame(() => {
    due = false
    mend()
  })
}).observe(document.body, { childList: true, subtree: true })
`

const style = `body { margin: 0; font-family: system-ui, sans-serif; }
#loading { padding: 2rem; }
/* The vendor's greys and greens have less contrast than WCAG asks for. */
.light-mode {
  --scalar-color-2: #4a4a4a !important;
  --scalar-color-3: #5c5c5c !important;
  --scalar-color-green: #007048 !important;
  --scalar-color-blue: #005fa8 !important;
  --scalar-color-orange: #a34a00 !important;
  --scalar-color-yellow: #7a5b00 !important;
  --scalar-color-red: #b3201c !important;
  --scalar-color-purple: #5b34b5 !important;
  --scalar-color-accent: #005fa8 !important;
}
.dark-mode {
  --scalar-color-3: #a0a0a0 !important;
  --scalar-color-red: #ff6b6b !important;
}
.client-libraries-content { display: none !important; }
`

/** Effect brings the script inside of a page of its own, inline, which a content security policy forbids. */
const SCRIPT = /<script>([\s\S]*)<\/script>\s*<script>/

const script = Effect.scoped(
  Effect.gen(function* () {
    const page = yield* HttpRouter.toHttpEffect(HttpApiScalar.layer(Api, { path: "/" }))
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))
    const answer = yield* Effect.provideService(page, HttpServerRequest.HttpServerRequest, request)
    const text = yield* Effect.promise(() => HttpServerResponse.toWeb(answer).text())
    const [, found] = SCRIPT.exec(text) ?? []
    return found ?? (yield* Effect.die(new Error("the page of HttpApiScalar has another form than before")))
  })
).pipe(Effect.orDie)

const JAVASCRIPT = "text/javascript; charset=utf-8"

export const docsPages: ReadonlyArray<Page> = [
  { path: "/docs", contentType: "text/html; charset=utf-8", text: Effect.succeed(shell) },
  { path: "/docs/start.js", contentType: JAVASCRIPT, text: Effect.succeed(start) },
  { path: "/docs/style.css", contentType: "text/css; charset=utf-8", text: Effect.succeed(style) },
  // 3 MB: a gateway whose page nobody opens does not load it.
  { path: "/docs/reference.js", contentType: JAVASCRIPT, text: Effect.suspend(() => script) }
]
