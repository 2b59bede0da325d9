/** What the admin API needs to know of where requests come from, and of the paths that browsers see. */
import { Context, Layer } from "effect"
import { type ClientAddress, clientAddress, isEncrypted, type AddressSource } from "../../shared/ClientAddress.ts"

export class AdminOrigin extends Context.Service<
  AdminOrigin,
  {
    readonly address: ClientAddress
    /** The caller's browser speaks HTTPS, as a trusted proxy says. */
    readonly isEncrypted: (request: AddressSource) => boolean
    /** `/admin` as browsers see it: behind the path that a proxy puts in front. */
    readonly adminPath: string
  }
>()("gateway/http/AdminOrigin") {
  static readonly layer = (settings: { readonly trustedProxies: ReadonlyArray<string>; readonly publicPath: string }) =>
    Layer.succeed(AdminOrigin, {
      address: clientAddress(settings.trustedProxies),
      isEncrypted: isEncrypted(settings.trustedProxies),
      adminPath: `${settings.publicPath.replace(/\/$/, "")}/admin`
    })
}
