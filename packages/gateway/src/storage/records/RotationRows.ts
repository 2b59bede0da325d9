/** Which deployments are out of rotation, in the store. */
import { Effect, Layer, Stream } from "effect"
import { type RotationChange, RotationRepository } from "../../core/pool/RotationRepository.ts"
import { type Statement, Statements, type StoreChange } from "./Statements.ts"

const isAboutRotation = ({ what }: StoreChange): boolean => what !== "key" && what !== "team" && what !== "end_user"

const rotationChange = (change: StoreChange): RotationChange =>
  change.what === "reset" ? change : { what: "rotation" }

export const layer = Layer.effect(
  RotationRepository,
  Effect.map(Statements, ({ changes, read, write }) => ({
    disabled: Effect.map(
      read<{ readonly deployment: string }>("SELECT deployment FROM disabled_deployments"),
      (rows): ReadonlySet<string> => new Set(rows.map((row) => row.deployment))
    ),
    setDisabled: (deployments, disable, entries = []) =>
      Effect.asVoid(
        write(
          deployments.map((deployment): Statement => [
            disable
              ? "INSERT INTO disabled_deployments VALUES (?) ON CONFLICT DO NOTHING"
              : "DELETE FROM disabled_deployments WHERE deployment = ?",
            deployment
          ]),
          { entries, changes: [{ what: "rotation", id: "" }] }
        )
      ),
    reset: (deployments) =>
      Effect.asVoid(write([], { changes: deployments.map((id): StoreChange => ({ what: "reset", id })) })),
    changes: Stream.unwrap(changes).pipe(Stream.filter(isAboutRotation), Stream.map(rotationChange))
  }))
)
