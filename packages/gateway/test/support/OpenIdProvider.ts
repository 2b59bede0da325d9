/** A real identity provider in this process (`oidc-provider`), whose people a test chooses, and a browser that follows its redirects. */
import { createServer } from "node:http"
import { Effect } from "effect"
// @ts-expect-error -- the package has no types
import Provider from "oidc-provider"

export interface Account {
  readonly name?: string
  readonly email?: string
  readonly groups?: ReadonlyArray<string> | undefined
}

export const CLIENT = { id: "model-gateway", secret: "Kq9Zt7RmXc2LpWv4GsJf8HbNy6DaTe3U" }

/** The address of the gateway as browsers see it. The real port is only known once it runs: the browser goes there in its place. */
export const PUBLIC_URL = "http://127.0.0.1:4100"

export const startProvider = Effect.gen(function* () {
  const accounts = new Map<string, Account>()
  const state = { account: "ada", isDown: false, refreshes: 0 }
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${PUBLIC_URL}/admin/sign-in/corp/callback`],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"]
      }
    ],
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email"] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => {
      const account = accounts.get(id)
      return account && { accountId: id, claims: () => ({ sub: id, ...account }) }
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["cookies of a test"] },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` }
  })
  const handle = provider.callback()
  server.on("request", (request, response) => {
    if (state.isDown) return void response.writeHead(503).end()
    if (request.url === "/token") state.refreshes++
    if (request.url?.startsWith("/interaction/") !== true) return handle(request, response)
    void (async () => {
      const { params, prompt } = await provider.interactionDetails(request, response)
      const login = { accountId: state.account }
      if (prompt.name === "login") return provider.interactionFinished(request, response, { login })
      const grant = new provider.Grant({ accountId: state.account, clientId: params.client_id })
      grant.addOIDCScope(params.scope)
      return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
    })()
  })
  return { issuer, accounts, state }
})

export const signInYaml = (issuer: string, roles: string, more = "") => `
server: { public_url: "${PUBLIC_URL}" }
identity:
  secret: Vq7ZtR2mXc9LpWd4KsJf8HbNy6GaTe3U
  ${more}
  providers:
    corp: { label: Example SSO, issuer: "${issuer}", client_id: "${CLIENT.id}", client_secret: "${CLIENT.secret}", roles: ${roles} }
`

/** Cookies of one browser, by port. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>()
  readonly visited: Array<string> = []
  private readonly gatewayUrl: string

  constructor(gatewayUrl: string) {
    this.gatewayUrl = gatewayUrl
  }

  async get(url: string, init: RequestInit = {}): Promise<Response> {
    const real = url.replace(PUBLIC_URL, this.gatewayUrl)
    const jar = this.cookies.get(new URL(real).host) ?? new Map<string, string>()
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(real, { ...init, redirect: "manual", headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    this.cookies.set(new URL(real).host, jar)
    return response
  }

  /** To where nothing redirects any more, or to the dashboard. */
  async follow(url: string): Promise<{ readonly url: string; readonly status: number; readonly text: string }> {
    let next = url
    for (let hop = 0; hop < 12; hop++) {
      this.visited.push(next)
      if (next.includes("/ui/login")) return { url: next, status: 200, text: "" }
      const response = await this.get(next)
      const to = response.headers.get("location")
      if (to === null) return { url: next, status: response.status, text: await response.text() }
      next = new URL(to, next).href
    }
    throw new Error(`too many redirects: ${this.visited.join(" ")}`)
  }

  /** What the page does with the code behind `#`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  async exchange(code: string): Promise<{ readonly status: number; readonly json: any }> {
    const response = await this.get(`${PUBLIC_URL}/admin/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code })
    })
    return { status: response.status, json: await response.json() }
  }
}
