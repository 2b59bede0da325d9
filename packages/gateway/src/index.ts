/**
 * Embedding the gateway: settings in, a Layer out.
 *
 * ```ts
 * const settings = yield* loadSettings({ file: "gateway.yaml", vendors: knownVendors, environment: process.env })
 * yield* Layer.launch(layer(settings))
 * ```
 */
export { loadSettings } from "./config/LoadSettings.ts"
export { parseSettings } from "./config/ParseSettings.ts"
export type { Settings } from "./core/Settings.ts"
export { Gateway } from "./core/Gateway.ts"
export { KeyStore } from "./core/KeyStore.ts"
export { ProviderPool } from "./core/ProviderPool.ts"
export { RateLimiter } from "./core/RateLimiter.ts"
export { Router } from "./core/Router.ts"
export { SpendLedger } from "./core/SpendLedger.ts"
export { HttpServer } from "./http/HttpServer.ts"
export { knownVendors } from "./providers/vendors/Vendors.ts"
export { layer } from "./Server.ts"
