/**
 * A second opinion on requests: what the gateway sends for a conversation against what the AI SDK's provider for the same API sends,
 * field by field. Where they differ, an exception says why, and one that excuses nothing any more fails.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { type Fetch, PublicFetch } from "../../../src/providers/transport/PublicFetch.ts"
import { Script } from "../../../src/testing/Script.ts"
import { TestGateway } from "../../../src/testing/TestGateway.ts"
import { asChat, type Conversation, forSdk } from "./Conversation.ts"
import { conversations } from "./Conversations.ts"
import { type Difference, differences } from "./Differences.ts"
import type { Opinion } from "./Opinion.ts"
import { opinions } from "./Opinions.ts"

/** What its provider sends; undefined where it refuses the conversation. */
const theirs = (opinion: Opinion, conversation: Conversation): Effect.Effect<JsonObject | undefined> =>
  Effect.promise(async () => {
    let body: JsonObject | undefined
    const model = opinion.sdk(async (_, init) => {
      body = JSON.parse(String(init?.body)) as JsonObject
      return new Response("{}", { status: 500 })
    })
    await Promise.resolve(model.doGenerate(forSdk(conversation))).catch(() => {})
    return body
  })

/** What stands at every address. */
const picture: Fetch = () => Effect.succeed({ mediaType: "image/png", bytes: Buffer.from("a picture") })

/** What the gateway sends for each, through its own endpoint; its error where it sends nothing. */
const ours = (opinion: Opinion) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const script = yield* Script
    const secret = yield* gateway.createKey()
    const sent = new Map<Conversation, JsonObject>()
    for (const conversation of conversations) {
      const before = (yield* script.requests).length
      const answer = yield* gateway.request(secret, { model: nameOf(opinion), ...asChat(conversation) })
      sent.set(conversation, (yield* script.requests)[before]?.body ?? answer.body)
    }
    return sent
  }).pipe(
    Effect.provide(
      TestGateway.layer({
        deployments: [opinion.deployment],
        failover: { attempts: 1 },
        // What the answer is does not matter, and a refusal of the request says nothing about the deployment.
        scripts: { "*": [Script.status(400)] },
        ...(opinion.providers === undefined ? {} : { providers: opinion.providers })
      }).pipe(Layer.provide(Layer.succeed(PublicFetch, picture)))
    )
  )

const nameOf = ({ deployment }: Opinion): string =>
  typeof deployment === "string" ? deployment : `${String(deployment["provider"])}/${String(deployment["model"])}`

const excuses = ({ exceptions }: Opinion, conversation: Conversation, difference: Difference) =>
  exceptions.filter(
    ({ at, of, when }) =>
      at.test(difference.path) && of?.test(conversation.name) !== false && when?.(difference) !== false
  )

describe("a second opinion on requests", () => {
  it("is asked about 40 conversations and more, each with a name of its own", () => {
    assert.isAtLeast(conversations.length, 40)
    assert.lengthOf([...new Set(conversations.map(({ name }) => name))], conversations.length)
  })

  for (const opinion of opinions) {
    it.effect(`${opinion.name} agrees, but for what is excepted`, () =>
      Effect.gen(function* () {
        const used = new Set<Opinion["exceptions"][number]>()
        const open: Array<string> = []
        for (const [conversation, sent] of yield* ours(opinion)) {
          const other = yield* theirs(opinion, conversation)
          const found =
            other === undefined ? [{ path: "refused", ours: sent, theirs: undefined }] : differences(sent, other)
          for (const difference of found) {
            const why = excuses(opinion, conversation, difference)
            for (const one of why) used.add(one)
            if (why.length === 0) open.push(`${conversation.name}: ${JSON.stringify(difference)}`)
          }
        }
        assert.deepStrictEqual(open, [])
        assert.deepStrictEqual(
          opinion.exceptions.filter((one) => !used.has(one)).map(({ why }) => why),
          []
        )
      })
    )
  }
})
