/** The state of the providers' keys, and whose call a provider refused. */
import { createHash } from "node:crypto"
import type { Deployment } from "../core/domain/Deployment.ts"
import { KeyStanding, type Suspect } from "../core/pool/KeyPool.ts"
import type { UpstreamCall } from "../core/pool/Protocol.ts"

/** By provider: its deployments share these. */
export type Standings = ReadonlyMap<string, ReadonlyArray<KeyStanding>>

/** Of each provider that has keys. */
export const standingsOf = (deployments: ReadonlyArray<Deployment>): Standings =>
  new Map(
    deployments
      .filter(({ apiKeys }) => apiKeys.length > 0)
      .map(({ apiKeys, provider }) => [provider, apiKeys.map(() => new KeyStanding())])
  )

/** Computed only where the request may be the reason for a refusal: it reads the whole conversation. */
export const suspectOf = ({ callerId = "", request }: UpstreamCall): Suspect => ({
  caller: callerId,
  prompt: createHash("sha256").update(JSON.stringify(request.history)).digest("base64")
})
