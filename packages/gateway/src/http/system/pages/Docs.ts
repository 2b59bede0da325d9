/** `/docs`: the API for people, to read and to try. Its script comes from here, so it works without the network. */
import { readFileSync } from "node:fs"
import { Api } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { assetAt } from "../../../core/domain/Assets.ts"
import type { Page } from "./Page.ts"

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

const asset = (name: string) => Effect.sync(() => readFileSync(assetAt(name), "utf8"))

const JAVASCRIPT = "text/javascript; charset=utf-8"

export const docsPages: ReadonlyArray<Page> = [
  { path: "/docs", contentType: "text/html; charset=utf-8", text: asset("docs.html") },
  { path: "/docs/start.js", contentType: JAVASCRIPT, text: asset("docs.js") },
  { path: "/docs/style.css", contentType: "text/css; charset=utf-8", text: asset("docs.css") },
  // 3 MB: a gateway whose page nobody opens does not load it.
  { path: "/docs/reference.js", contentType: JAVASCRIPT, text: Effect.suspend(() => script) }
]
