/** `model-gateway requests`: what happened to each request. */
import { receiptStatuses } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { receiptDetails, receiptTable } from "../output/ReceiptView.ts"
import { orNothing } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { timeFlag } from "../ledger/PeriodFlags.ts"
import { given } from "./FlagValues.ts"
import { limitFlag, optionalText, optionalWord } from "../Flags.ts"

const list = Command.make(
  "list",
  {
    limit: limitFlag(20),
    after: optionalText("after", "ID", "continue after this request, the last of the previous page"),
    key: optionalText("key", "ID", "only this key, by its ID or the name that it had at the time"),
    team: optionalText("team", "TEAM", "of this team only"),
    endUser: optionalText("end-user", "ID", "only requests of this end user"),
    session: optionalText("session", "ID", "only requests of this session"),
    model: optionalText("model", "MODEL", "only requests for this model or served by it"),
    status: optionalWord("status", receiptStatuses, "only this status"),
    error: optionalText("error", "WORD", "only this error, such as rate_limited or invalid_api_key"),
    from: timeFlag("from", "from this time: 2h for two hours ago, or 2026-11-01T18:00:00Z"),
    to: timeFlag("to", "before then"),
    ...adminFlags
  },
  Effect.fn("requests.list")(function* (flags) {
    const now = yield* Clock.currentTimeMillis
    const instant = (at: number | string) =>
      typeof at === "string" ? at : DateTime.formatIso(DateTime.makeUnsafe(now - at * 1000))
    const { after, endUser, error, key, limit, model, session, status, team } = flags
    const [from, to] = [Option.map(flags.from, instant), Option.map(flags.to, instant)]
    const query = { limit, ...given({ after, key, team, end_user: endUser, session, model, status, error, from, to }) }
    yield* answer(
      flags,
      (client) => client.requests.listRequests({ query, responseMode }),
      Effect.fnUntraced(function* ({ data, next }) {
        if (data.length === 0) return yield* Console.error("No requests.")
        yield* Console.log(receiptTable(data))
        if (next !== null) yield* Console.error(`There are more: add --after ${orNothing(next)}`)
      })
    )
  })
).pipe(
  Command.withDescription("List completed requests, newest first. ~ before a cost: the gateway estimated part of it."),
  Command.withShortDescription("List requests, newest first"),
  Command.withExamples([
    { command: "model-gateway requests list" },
    { command: "model-gateway requests list --status failed --from 2h --team research" },
    { command: "model-gateway requests list --status refused --key ci", description: "What the gateway refused" },
    { command: "model-gateway requests list --limit 1000 --json", description: "The gateway's JSON, for programs" }
  ])
)

const id = Argument.String("id").pipe(
  Argument.withDescription("the value of X-Gateway-Receipt-Id or X-Request-Id: rcpt_… or req_…"),
  // It becomes a part of a path, and these would lead elsewhere.
  Argument.filter(
    (text) => !["", ".", ".."].includes(text),
    () => "an id such as rcpt_01jcq7v5g8r2k0m4n6p9s3t1"
  )
)

const show = Command.make(
  "show",
  { id, ...adminFlags },
  asking(
    (client, flags) => client.requests.getRequest({ params: { id: flags.id }, responseMode }),
    (receipt) => Console.log(receiptDetails(receipt))
  )
).pipe(
  Command.withDescription(
    "Show what happened to a request: the routing decision, every attempt and the cost. Prompts and responses are never shown."
  ),
  Command.withShortDescription("Show what happened to a request"),
  Command.withExamples([{ command: "model-gateway requests show rcpt_01jcq7v5g8r2k0m4n6p9s3t1" }])
)

export const requests = Command.make("requests").pipe(
  Command.withDescription("Requests that are over: their receipts."),
  Command.withShortDescription("List requests and show what happened to them"),
  Command.withSubcommands([list, show]),
  Command.withExamples([{ command: "model-gateway requests list --status failed" }])
)
