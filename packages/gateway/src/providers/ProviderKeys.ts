/** The keys of the running gateway's providers: what is held against each, and whose call it was that a provider refused. */
import { createHash } from "node:crypto"
import type { Deployment } from "../core/domain/Deployment.ts"
import { KeyStanding, type Suspect } from "../core/pool/KeyPool.ts"
import type { ChatCall } from "../core/pool/Protocol.ts"

/** By provider: those of its deployments share them. */
export type Standings = ReadonlyMap<string, ReadonlyArray<KeyStanding>>

/** Of each provider that has keys. */
export const standingsOf = (deployments: ReadonlyArray<Deployment>): Standings =>
  new Map(
    deployments
      .filter(({ apiKeys }) => apiKeys.length > 0)
      .map(({ apiKeys, provider }) => [provider, apiKeys.map(() => new KeyStanding())])
  )

/** Made only where a refusal may be about what the request says: it reads the whole conversation. */
export const suspectOf = ({ callerId = "", request }: ChatCall): Suspect => ({
  caller: callerId,
  prompt: createHash("sha256").update(JSON.stringify(request.history)).digest("base64")
})
