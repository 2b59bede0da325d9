/** An issuer of JWTs in this process: its discovery document, its keys, and tokens that a test makes of claims. */
import { createServer } from "node:http"
import { Clock, Effect } from "effect"
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose"

export const AUDIENCE = "https://gateway.example.com"

export type TokenClaims = { readonly [name: string]: unknown }

export const startIssuer = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const state = { fetches: 0, isDown: false, redirect: "", issuer: "", jwksUri: "", keys: [] as Array<JWK> }
  const server = createServer((request, response) => {
    if (state.isDown) return void response.writeHead(503).end()
    if (state.redirect !== "") return void response.writeHead(302, { location: state.redirect }).end()
    response.setHeader("content-type", "application/json")
    if (request.url?.includes("openid-configuration") === true) {
      return void response.end(JSON.stringify({ issuer: state.issuer, jwks_uri: state.jwksUri }))
    }
    state.fetches++
    response.end(JSON.stringify({ keys: state.keys }))
  })
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
  state.issuer = issuer
  state.jwksUri = `${issuer}/keys`

  /** A new key, which the issuer has from now on. */
  const addKey = async (kid: string, alg = "ES256") => {
    const pair = await generateKeyPair(alg, { extractable: true })
    const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid, use: "sig" }
    state.keys.push(jwk)
    return { ...pair, kid, alg, jwk }
  }
  const first = yield* Effect.promise(() => addKey("first"))

  /** A token with good claims and these; undefined: without that claim. */
  const token = (claims: TokenClaims = {}, header: Partial<JWTHeaderParameters> = {}, key = first): Promise<string> => {
    const now = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
    const all = {
      iss: issuer,
      aud: AUDIENCE,
      sub: "repo:acme/app:main",
      iat: now,
      exp: now + 600,
      ...claims
    }
    return new SignJWT(all as JWTPayload)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "JWT", ...header })
      .sign(key.privateKey)
  }
  return { issuer, state, addKey, token, first }
})

export const issuersYaml = (issuers: { readonly [name: string]: string }, rules: string, more = "") => `
identity:
  issuers:
${Object.entries(issuers)
  .map(
    ([name, issuer]) =>
      `    ${name}: { issuer: "${issuer}", audience: "${AUDIENCE}", ${more} rules: ${rules.replaceAll("\n", " ")} }`
  )
  .join("\n")}
`
