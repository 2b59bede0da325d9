/** Embeddings, legacy completions, moderations. */
import assert from "node:assert/strict"
import { check } from "../node/checks.mjs"
import { connect } from "./_client.mjs"

// The client asks for base64 unless it is told otherwise.
check("embeddings, base64 and float alike", async () => {
  const { embeddings } = connect()
  const asked = { model: "demo/embed", input: ["a raven", "a writing desk"] }
  const { data, usage } = await embeddings.create(asked)
  const floats = await embeddings.create({ ...asked, encoding_format: "float" })
  assert.equal(data.length, 2)
  assert.deepEqual(
    data.map(({ embedding }) => embedding.map(Math.fround)),
    floats.data.map(({ embedding }) => embedding.map(Math.fround))
  )
  assert.notDeepEqual(data[0].embedding, data[1].embedding)
  assert.ok(usage.prompt_tokens > 0)
  assert.ok(usage.cost > 0)
})

check("embeddings of a length, of one text and of tokens", async () => {
  const { embeddings } = connect()
  for (const input of ["a raven", [1, 2, 3], [[1, 2], [3]]]) {
    const { data } = await embeddings.create({ model: "demo/embed", input, dimensions: 64 })
    assert.equal(data[0].embedding.length, 64)
  }
})

check("embeddings by auto", async () => {
  const { response } = await connect().embeddings.create({ model: "auto", input: "a raven" }).withResponse()
  assert.equal(response.headers.get("x-gateway-decision"), "demo/embed")
})

check("completions, whole and streamed", async () => {
  const { completions } = connect()
  const asked = { model: "demo/mini", prompt: "Say hello" }
  const whole = await completions.create(asked)
  assert.notEqual(whole.choices[0].text, "")
  assert.ok(whole.usage.cost > 0)
  let text = ""
  for await (const { choices } of await completions.create({ ...asked, stream: true })) text += choices[0]?.text ?? ""
  assert.notEqual(text, "")
})

check("moderations, with a model and without", async () => {
  const { moderations } = connect()
  const { results } = await moderations.create({ model: "demo/moderation", input: ["Hello", "I will kill you"] })
  assert.deepEqual(
    results.map(({ flagged }) => flagged),
    [false, true]
  )
  assert.equal(results[1].categories.violence, true)
  assert.equal((await moderations.create({ input: "Hello" })).results.length, 1)
})
