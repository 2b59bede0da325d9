/** `model-gateway audit`: what administrators did. */
import { auditActions, type AuditEntry } from "@model-gateway/protocol"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { say } from "../Environment.ts"
import { table } from "../output/Table.ts"
import { orNothing, time } from "../output/TextOutput.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, parseTime, TIME_ALLOWED } from "./FlagValues.ts"
import { optionalParsed, optionalText } from "../Flags.ts"

const filters = {
  actor: optionalText("actor", "ID", "only what this person, service token or session did, or master_key"),
  action: optionalParsed(
    "action",
    "ACTION",
    "only this, such as keys.create; a wrong one lists all",
    (text) => Option.fromUndefinedOr(auditActions.find((one) => one === text)),
    `one of ${auditActions.join(", ")}`
  ),
  target: optionalText(
    "target",
    "ID",
    "only what was done to this key, team, deployment, session, person or service token"
  ),
  from: optionalParsed("from", "WHEN", "only from this time on", parseTime, TIME_ALLOWED),
  to: optionalParsed("to", "WHEN", "only before this time", parseTime, TIME_ALLOWED)
}

const list = Command.make(
  "list",
  { ...filters, ...adminFlags },
  Effect.fn("audit.list")(function* (flags) {
    const { action, actor, from, target, to } = flags
    const query = given({ action, actor, from, target, to })
    yield* answer(
      flags,
      (client) => client.audit.listAudit({ query, responseMode }),
      ({ data, has_more }) =>
        data.length === 0
          ? Console.log("Nothing was done.")
          : Console.log(
              table(
                [
                  { title: "WHEN (UTC)", value: ({ at }) => time(at) },
                  {
                    title: "WHO",
                    value: ({ actor: { id, name } }) => (name === null ? id : `${name} (${id})`),
                    wraps: true
                  },
                  { title: "FROM", value: ({ actor: { address } }) => orNothing(address) },
                  { title: "WHAT", value: ({ action: what }) => what },
                  { title: "TO", value: ({ target: whom }) => orNothing(whom), wraps: true }
                ],
                data
              )
            ).pipe(
              Effect.andThen(
                has_more ? say("\nThere is more: `model-gateway audit export` has all of it.") : Effect.void
              )
            )
    )
  })
).pipe(
  Command.withDescription("List what administrators did, newest first."),
  Command.withShortDescription("List entries of the audit log")
)

const exportAll = Command.make(
  "export",
  { ...filters, ...adminFlags },
  Effect.fn("audit.export")(function* (flags) {
    const { action, actor, from, target, to } = flags
    const query = { ...given({ action, actor, from, target, to }), limit: 1000 }
    yield* answer(
      { ...flags, json: false },
      Effect.fnUntraced(function* (client) {
        const entries: Array<AuditEntry> = []
        let [page, response] = yield* client.audit.listAudit({ query, responseMode })
        entries.push(...page.data)
        while (page.next !== null) {
          ;[page, response] = yield* client.audit.listAudit({ query: { ...query, after: page.next }, responseMode })
          entries.push(...page.data)
        }
        return [entries, response] as const
      }),
      (entries) =>
        Effect.forEach(entries.toReversed(), (entry) => Console.log(JSON.stringify(entry)), { discard: true })
    )
  })
).pipe(
  Command.withDescription(
    "Write the audit log to stdout, oldest first, a JSON object a line, with what things were before and after."
  ),
  Command.withShortDescription("Write the audit log as JSON lines"),
  Command.withExamples([{ command: "model-gateway audit export --from 2026-11-01 > audit.jsonl" }])
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Every change that administrators made: who, when and from where. The log is append-only."),
  Command.withShortDescription("The audit log of administrators"),
  Command.withSubcommands([list, exportAll])
)
