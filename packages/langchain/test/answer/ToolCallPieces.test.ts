import { assert, describe, it } from "@effect/vitest"
import { collect } from "../support/Model.ts"
import { delta, finish, streaming } from "../support/Sse.ts"

const call = (fields: object, args: string, name?: string) => ({
  ...fields,
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: args }
})

const calls = (...pieces: ReadonlyArray<ReadonlyArray<object>>) => pieces.map((tool_calls) => delta({ tool_calls }))

/** Two calls, as servers stream them. */
const servers: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  [
    "counts",
    calls(
      [call({ index: 0, id: "a" }, "", "f")],
      [call({ index: 0 }, '{"x":1}')],
      [call({ index: 1, id: "b" }, "", "g")],
      [call({ index: 1 }, '{"x":2}')]
    )
  ],
  ["does not count, with whole calls", calls([call({ id: "a" }, '{"x":1}', "f")], [call({ id: "b" }, '{"x":2}', "g")])],
  [
    "does not count, with both calls at once",
    calls([call({ id: "a" }, '{"x":1}', "f"), call({ id: "b" }, '{"x":2}', "g")])
  ],
  [
    "says 0 for all, with calls in pieces",
    calls(
      [call({ index: 0, id: "a" }, '{"x":', "f")],
      [call({ index: 0 }, "1}")],
      [call({ index: 0, id: "b" }, '{"x":', "g")],
      [call({ index: 0 }, "2}")]
    )
  ],
  [
    "repeats what is empty",
    calls(
      [call({ index: 0, id: "a" }, '{"x":', "f")],
      [call({ index: 0, id: "" }, "1}", "")],
      [call({ index: 1, id: "b" }, '{"x":', "g")],
      [call({ index: 1, id: "" }, "2}", "")]
    )
  ],
  [
    "mixes its pieces, known by their ids",
    calls(
      [call({ id: "a" }, '{"x":', "f")],
      [call({ id: "b" }, '{"x":', "g")],
      [call({ id: "a" }, "1}")],
      [call({ id: "b" }, "2}")]
    )
  ]
]

describe("streamed tool calls of a server that", () => {
  for (const [what, pieces] of servers) {
    it(`${what}: the same calls in both kinds of streams`, async () => {
      await using server = await streaming([...pieces, finish("tool_calls")])
      const expected = [
        ["a", "f", { x: 1 }],
        ["b", "g", { x: 2 }]
      ]
      const { whole } = await collect(await server.model().stream("hi"))
      assert.deepStrictEqual(
        whole.tool_calls?.map(({ args, id, name }) => [id, name, args]),
        expected
      )
      const message = await server.model().streamEvents("hi").output
      assert.deepStrictEqual(
        message.tool_calls?.map(({ args, id, name }) => [id, name, args]),
        expected
      )
    })
  }
})

describe("two calls that share their id", () => {
  const first = call({ id: "f" }, '{"x":1}', "f")
  const second = call({ id: "f" }, '{"x":2}', "f")
  for (const [what, pieces] of [
    ["counted", calls([{ index: 0, ...first }], [{ index: 1, ...second }])],
    [
      "counted, in one piece",
      calls([
        { index: 0, ...first },
        { index: 1, ...second }
      ])
    ],
    ["in one piece", calls([first, second])],
    [
      "in one piece, both called 0",
      calls([
        { index: 0, ...first },
        { index: 0, ...second }
      ])
    ]
  ] as const) {
    it(`are two when ${what}`, async () => {
      await using server = await streaming([...pieces, finish("tool_calls")])
      const { whole } = await collect(await server.model().stream("hi"))
      assert.deepStrictEqual(
        whole.tool_calls?.map(({ args }) => args),
        [{ x: 1 }, { x: 2 }]
      )
    })
  }
})

it("a call with nothing in it breaks nothing", async () => {
  const empty = { index: 0, id: "a", function: null }
  await using server = await streaming([...calls([empty], [call({ index: 0 }, '{"x":1}', "f")]), finish("tool_calls")])
  const { whole } = await collect(await server.model().stream("hi"))
  assert.deepStrictEqual(
    whole.tool_calls?.map(({ args, name }) => [name, args]),
    [["f", { x: 1 }]]
  )
})
