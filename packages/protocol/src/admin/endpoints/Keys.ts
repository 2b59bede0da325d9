/** `/admin/keys`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CreateKey, CreateMyKey, IssuedKey, Key, KeyPage, ListKeysQuery, RotateKey, UpdateKey } from "../Keys.ts"
import { administrative, owning, pageLimit, reading } from "./Administrative.ts"

const keyId = { id: Schema.String.annotate({ description: "The id of the key, `key_…`." }) }

export const keys = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("createKey", "/admin/keys", {
      payload: CreateKey,
      success: IssuedKey.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      administrative({
        access: { action: "keys.create", effect: "write", admin: "all", team_admin: "team" },
        failures: [413, 415],
        summary: "Create a virtual key",
        description: "The answer holds the secret, this once: it is not kept and can't be read again."
      })
    ),
    HttpApiEndpoint.get("listKeys", "/admin/keys", {
      query: ListKeysQuery,
      success: KeyPage
    }).annotateMerge(
      administrative({
        access: reading("keys.list"),
        numbers: { limit: pageLimit("Keys") },
        summary: "List virtual keys",
        description: "Newest first, in pages. Keys made meanwhile move nothing: every key is on one page."
      })
    ),
    HttpApiEndpoint.get("getKey", "/admin/keys/:id", {
      params: keyId,
      success: Key
    }).annotateMerge(
      administrative({
        access: reading("keys.read"),
        failures: [404],
        summary: "Inspect a virtual key",
        description: "Everything but its secret."
      })
    ),
    HttpApiEndpoint.patch("updateKey", "/admin/keys/:id", {
      params: keyId,
      payload: UpdateKey,
      success: Key
    }).annotateMerge(
      administrative({
        access: { action: "keys.update", effect: "write", admin: "all", team_admin: "team", member: "own" },
        failures: [404, 413, 415],
        alsoReads: ["application/merge-patch+json"],
        summary: "Update limits, models, budgets of a key",
        description: "In force when the answer comes, for requests that begin from then on."
      })
    ),
    HttpApiEndpoint.delete("revokeKey", "/admin/keys/:id", {
      params: keyId,
      success: Key
    }).annotateMerge(
      administrative({
        access: { action: "keys.revoke", effect: "write", admin: "all", team_admin: "team", member: "own" },
        failures: [404],
        summary: "Revoke a key immediately",
        description:
          "From the moment this answers no request with the key is admitted. Its spend stays on the books. Repeating it is harmless; it can't be undone."
      })
    ),
    HttpApiEndpoint.post("rotateKey", "/admin/keys/:id/rotate", {
      params: keyId,
      payload: RotateKey,
      success: IssuedKey
    }).annotateMerge(
      administrative({
        access: { action: "keys.rotate", effect: "write", admin: "all", team_admin: "team", member: "own" },
        failures: [404, 413, 415],
        bodyOptional: true,
        summary: "Give a key a new secret",
        description:
          "The answer holds the new secret, this once. The old one works until the grace ends. A personal key is rotated by its person only."
      })
    ),
    HttpApiEndpoint.get("listMyKeys", "/admin/me/keys", { query: ListKeysQuery, success: KeyPage }).annotateMerge(
      administrative({
        access: owning("me.keys", "read"),
        numbers: { limit: pageLimit("Keys") },
        summary: "List my personal keys",
        description: "Newest first, in pages, also those of teams that the person has left."
      })
    ),
    HttpApiEndpoint.post("createMyKey", "/admin/me/keys", {
      payload: CreateMyKey,
      success: IssuedKey.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      administrative({
        access: owning("me.create_key", "write"),
        failures: [404, 409, 413, 415],
        summary: "Create a personal key",
        description:
          "A key of the signed-in person, within the policy of the team. The response contains the secret, this once."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Virtual keys", description: "The credentials of callers." }))
