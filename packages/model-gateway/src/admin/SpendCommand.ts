/**
 * `model-gateway spend`: what was spent.
 */
import { TimeZone } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { spendReport } from "../output/SpendView.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, parseSpan, parseTime } from "./FlagValues.ts"

/** Seconds ago, or a time. A day stays one: when it begins depends on the time zone, which the gateway reckons with. */
const when = (text: string): Option.Option<number | string> =>
  Option.orElse(parseSpan(text), () => Option.map(parseTime(text), (time) => (text.includes("T") ? time : text)))

const WHEN_ALLOWED = "a day such as 2026-11-01, a time such as 2026-11-01T18:00:00Z, or a span before now such as 7d"

const only = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const spend = Command.make(
  "spend",
  {
    from: Flag.String("from").pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDescription("2026-11-01, 2026-11-01T18:00:00Z, or 7d for a week ago (default: start of this month)"),
      Flag.filterMap(when, () => WHEN_ALLOWED),
      Flag.optional
    ),
    to: Flag.String("to").pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDescription("the end, exclusive (default: end of this month)"),
      Flag.filterMap(when, () => WHEN_ALLOWED),
      Flag.optional
    ),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withMetavar("ZONE"),
      Flag.withDescription("where days and months begin, such as Europe/Berlin (default: UTC)"),
      Flag.withSchema(TimeZone),
      Flag.optional
    ),
    by: Flag.Literals("by", [
      "key",
      "team",
      "model",
      "provider",
      "tag",
      "end_user",
      "session",
      "user",
      "client",
      "day",
      "month"
    ]).pipe(Flag.withDescription("group by this (default: three tables, by key, team and model)"), Flag.optional),
    key: only("key", "ID", "of this key only"),
    team: only("team", "TEAM", "of this team only"),
    endUser: only("end-user", "ID", "of this end user only"),
    session: only("session", "ID", "of this session only"),
    client: only("client", "NAME", "of this client only, such as codex"),
    model: only("model", "MODEL", "of this model only"),
    user: only("user", "ID", "of the personal keys of this person only, user_…"),
    mine: Flag.Boolean("mine").pipe(
      Flag.withDescription("of your personal keys only"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    ...adminFlags
  },
  Effect.fn("spend")(function* (flags) {
    const now = yield* Clock.currentTimeMillis
    const instant = (at: number | string) =>
      typeof at === "string" ? at : DateTime.formatIso(DateTime.makeUnsafe(now - at * 1000))
    const { by, client, endUser: end_user, key, model, session, team, timeZone: tz, user } = flags
    const [from, to] = [Option.map(flags.from, instant), Option.map(flags.to, instant)]
    const query = given({
      from,
      to,
      tz,
      key,
      team,
      model,
      end_user,
      session,
      user,
      client,
      group_by: Option.map(by, (cut) => (cut === "model" ? "provider,model" : cut))
    })
    yield* answer(
      flags,
      (client) =>
        flags.mine ? client.spend.getMySpend({ query, responseMode }) : client.spend.getSpend({ query, responseMode }),
      (report) => Console.log(spendReport(report, Option.getOrUndefined(by)))
    )
  })
).pipe(
  Command.withDescription(
    "Show spend, requests and tokens. ~ before a cost: the provider did not report all usage, and the gateway estimated the rest."
  ),
  Command.withShortDescription("Show what was spent"),
  Command.withExamples([
    { command: "model-gateway spend", description: "This month, by key, team and model" },
    { command: "model-gateway spend --from 7d --by day --team research" },
    { command: "model-gateway spend --from 2026-10-01 --to 2026-11-01 --time-zone Europe/Berlin --by model --json" }
  ])
)
